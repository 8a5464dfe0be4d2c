import RoomHTTPServer
import RoomProtocol

/// The history over REST: events, sessions and lives, newest first.
struct HistoryAPI: Sendable {
  let history: History

  private static let largestLimit: Int64 = 1000
  /// 2^53 − 1, which every client's number type can represent.
  private static let largestNumber: Int64 = (1 << 53) - 1
  private static let longestNumber = 16

  private struct Events: Encodable, Sendable {
    var events: [HistoryEvent]
    var next: String?
  }

  private struct Sessions: Encodable, Sendable {
    var sessions: [HistorySession]
    var next: String?
  }

  private struct Lives: Encodable, Sendable {
    var lives: [HistoryLive]
    var next: String?
  }

  var endpoints: [Endpoint] {
    [
      endpoint("events") { query in
        let page = try await query.events(in: history.store)
        return .json(Events(events: page.rows, next: page.next.map(String.init)))
      },
      endpoint("sessions") { query in
        let page = try await query.sessions(in: history.store)
        return .json(Sessions(sessions: page.rows, next: page.next.map(String.init)))
      },
      endpoint("lives") { query in
        let page = try await query.lives(in: history.store)
        return .json(Lives(lives: page.rows, next: page.next.map(String.init)))
      },
    ]
  }

  private func endpoint(_ name: String, _ answer: @escaping @Sendable (HistoryQuery) async throws -> HTTPResponse) -> Endpoint {
    Endpoint(
      "GET", "/v1/history/\(name)", access: .api,
      action: .answer { request, _ in
        let query: HistoryQuery
        do throws(RoomError) { query = try Self.query(of: request, hasKind: name == "events") } catch {
          return .error(400, error)
        }
        do { return try await answer(query) } catch { return HTTPResponse(status: 500) }
      })
  }

  private static func query(of request: HTTPRequest, hasKind: Bool) throws(RoomError) -> HistoryQuery {
    var query = HistoryQuery()
    query.room = try request.queryRoom("room")?.rawValue
    query.user = try request.queryUser("user")?.rawValue
    if hasKind, let text = request.query("kind") {
      guard let kind = HistoryEvent.Kind(rawValue: text) else { throw HTTPError.badRequest("kind: not a kind of event") }
      query.kind = kind
    }
    query.from = try request.queryNumber("from", 0...largestNumber)
    query.to = try request.queryNumber("to", 0...largestNumber)
    query.before = try request.queryPosition("before") { text in
      text.utf8.count <= longestNumber ? Int64(text).flatMap { (0...largestNumber).contains($0) ? $0 : nil } : nil
    }
    query.limit = Int(try request.queryNumber("limit", 1...largestLimit) ?? Int64(query.limit))
    return query
  }
}
