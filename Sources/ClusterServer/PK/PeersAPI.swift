import Foundation
import RoomEngine
import RoomHTTPServer
import RoomProtocol
import RoomServer
import RoomState

/// The requests of other nodes about a PK between one of their rooms and one of this node.
struct PeersAPI: Sendable {
  /// Maximum number of tracks that one room lends to another.
  static let tracks = 32

  static func messages(_ room: RoomName) -> String { "/v1/cluster/rooms/\(room.rawValue)/pk" }
  static func lending(_ room: RoomName) -> String { "/v1/cluster/rooms/\(room.rawValue)/lending" }
  static func lending(_ room: RoomName, to borrower: Borrower) -> String {
    "\(lending(room))/\(borrower.room.rawValue)" + (borrower.forwarded.map { "/\($0.rawValue)" } ?? "")
  }
  static func forwards(_ room: RoomName) -> String { "/v1/cluster/rooms/\(room.rawValue)/forwards" }

  let cluster: Cluster
  let lendings: Lendings
  /// Returns a room of this node.
  let room: @Sendable (RoomName) async -> Room?
  /// Returns once all changes so far are stored.
  let settled: @Sendable () async -> Void

  var endpoints: [Endpoint] {
    [
      .forNodes("POST", "/v1/cluster/rooms/*/pk", cluster) { request, names, _ in
        guard let message = try? JSONDecoder().decode(PKMessage.self, from: Data(request.body)),
          message.to.rawValue == names.first, message.isInRange
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
        if names.count == 2 { await lendings.end(RoomName(names[0]), to: Borrower(RoomName(names[1])), at: sender) }
        return .noContent
      },
      .forNodes("DELETE", "/v1/cluster/rooms/*/lending/*/*", cluster) { _, names, sender in
        if names.count == 3 {
          let borrower = Borrower(RoomName(names[1]), forwarded: UserID(names[2]))
          await lendings.end(RoomName(names[0]), to: borrower, at: sender)
        }
        return .noContent
      },
      .forNodes("POST", "/v1/cluster/rooms/*/forwards", cluster) { request, names, _ in
        guard let forward = try? JSONDecoder().decode(ForwardRequest.self, from: Data(request.body)), let name = names.first,
          NameRule.allows(forward.user.rawValue), NameRule.allows(forward.source.rawValue), forward.profile?.isValid ?? true
        else { return .error(400, HTTPError.badRequest("no participant to show")) }
        guard let room = await room(RoomName(name)) else { return Self.missing(RoomName(name)) }
        do throws(RoomError) {
          try await room.receive(forward.user, from: forward.source, forward.profile)
          await settled()
          return .noContent
        } catch { return .error(409, error) }
      },
    ]
  }

  private static func missing(_ room: RoomName) -> HTTPResponse {
    .error(404, RoomError(.noSuchRoom, "room \"\(room.brief)\" is not at this node"))
  }
}
