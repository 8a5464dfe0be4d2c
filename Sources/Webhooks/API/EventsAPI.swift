import Foundation
import RoomHTTPServer
import RoomProtocol

/// Room events over REST, and their redelivery to webhooks.
package struct EventsAPI: Sendable {
  private let log: EventLog

  package init(log: EventLog) { self.log = log }

  private static let usualLimit = 100
  private static let largestLimit = 1000
  /// 2^53 − 1, which every client's number type can represent.
  private static let largestNumber: Int64 = (1 << 53) - 1

  struct Replay: Decodable, Sendable {
    var room: RoomName
    /// The number of the first event.
    var from: Int64
  }

  struct Replayed: Encodable, Sendable {
    var events: Int
  }

  package var endpoints: [Endpoint] {
    [
      Endpoint("GET", "/v1/events", access: .api, action: .answer { request, _ in await list(request) }),
      Endpoint(
        "POST", "/v1/webhooks/replay", access: .api, takesBody: true, action: .answer { request, _ in await replay(request) }),
    ]
  }

  private func list(_ request: HTTPRequest) async -> HTTPResponse {
    do {
      let limit = try request.queryNumber("limit", 1...Int64(Self.largestLimit)) ?? Int64(Self.usualLimit)
      let after = try request.queryNumber("after", 0...Self.largestNumber)
      guard let room = try request.queryRoom("room") else {
        guard after == nil else { throw HTTPError.badRequest("after: requires room, because numbers are per room") }
        return Self.response(try await log.newest(Int(limit)), last: nil)
      }
      guard let (bodies, last) = try await log.events(of: room, after: after ?? 0, limit: Int(limit)) else {
        return Self.unknown(room)
      }
      return Self.response(bodies, last: last)
    } catch let error as RoomError {
      return .error(400, error)
    } catch {
      return HTTPResponse(status: 500)
    }
  }

  private func replay(_ request: HTTPRequest) async -> HTTPResponse {
    do {
      let body = try APIBody.read(Replay.self, from: request)
      guard NameRule.allows(body.room) else { throw HTTPError.badRequest("room: \(NameRule.text)") }
      guard (1...Self.largestNumber).contains(body.from) else { throw HTTPError.badRequest("from: 1 or more") }
      guard await log.hasWebhooks else {
        return .error(409, RoomError(.unknownMessage, "this server has no webhook; it was started without --webhook"))
      }
      guard let count = try await log.replay(body.room, from: body.from) else { return Self.unknown(body.room) }
      return .json(Replayed(events: count), status: 202)
    } catch let error as RoomError {
      return .error(400, error)
    } catch {
      return HTTPResponse(status: 500)
    }
  }

  private static func unknown(_ room: RoomName) -> HTTPResponse {
    .error(404, RoomError(.roomNotFound, "no event of room \"\(room.brief)\" is stored"))
  }

  /// The events are already JSON.
  private static func response(_ bodies: [Data], last: Int64?) -> HTTPResponse {
    var text = Array("{\"events\":[".utf8)
    for (index, body) in bodies.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text += body
    }
    text += Array("]\(last.map { ",\"last\":\($0)" } ?? "")}".utf8)
    return HTTPResponse(status: 200, headers: [("Content-Type", "application/json")], body: text)
  }
}
