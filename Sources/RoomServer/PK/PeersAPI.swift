import Foundation
import RoomEngine
import RoomHTTPServer
import RoomProtocol
import RoomState

/// The requests of other nodes about a PK between one of their rooms and one of this node.
struct PeersAPI: Sendable {
  /// Maximum number of tracks that one room lends to another.
  static let tracks = 32

  static func messages(_ room: RoomName) -> String { "/v1/cluster/rooms/\(room.rawValue)/pk" }
  static func lending(_ room: RoomName) -> String { "/v1/cluster/rooms/\(room.rawValue)/lending" }
  static func lending(_ room: RoomName, to other: RoomName) -> String {
    "\(lending(room))/\(other.rawValue)"
  }

  let cluster: Cluster
  let lendings: Lendings
  /// Returns a room of this node.
  let room: @Sendable (RoomName) async -> Room?

  var endpoints: [Endpoint] {
    [
      .forNodes("POST", "/v1/cluster/rooms/*/pk", cluster) { request, names, _ in
        guard let message = try? JSONDecoder().decode(PKMessage.self, from: Data(request.body)),
          message.to.rawValue == names.first
        else { return .error(400, HTTPError.badRequest("no message about a PK")) }
        guard let room = await room(message.to), await room.receive(message) else { return Self.missing(message.to) }
        return .noContent
      },
      .forNodes("POST", "/v1/cluster/rooms/*/lending", cluster) { request, names, _ in
        guard let lending = try? JSONDecoder().decode(LendingRequest.self, from: Data(request.body)), let name = names.first
        else { return .error(400, HTTPError.badRequest("no request for tracks")) }
        guard let room = await room(RoomName(name)) else { return Self.missing(RoomName(name)) }
        guard let answer = await lendings.answer(lending, of: room) else {
          return .error(409, RoomError(.updateRoomFailed, "the tracks can't be lent"))
        }
        return .json(answer)
      },
      .forNodes("DELETE", "/v1/cluster/rooms/*/lending/*", cluster) { _, names, sender in
        if names.count == 2 { await lendings.end(RoomName(names[0]), to: RoomName(names[1]), at: sender) }
        return .noContent
      },
    ]
  }

  private static func missing(_ room: RoomName) -> HTTPResponse {
    .error(404, RoomError(.noSuchRoom, "room \"\(room.brief)\" is not at this node"))
  }
}
