import RoomHTTPServer
import Logging
import RoomProtocol

extension Origin {
  /// The headers of all responses to HTTP players: any page may play, and nothing is cached.
  static let headers: [(name: String, value: String)] = [
    ("Cache-Control", "no-store"), ("Access-Control-Allow-Origin", "*"), ("X-Content-Type-Options", "nosniff"),
  ]

  /// Returns the response to a rejected HTTP request, counts it and logs it.
  package func refused(_ refusal: OriginRefusal, _ request: HTTPRequest) -> HTTPResponse {
    counters.count(refusal.reason)
    log.notice(
      "play refused",
      metadata: [
        "stream": "\(request.target.prefix(300))", "client": "\(request.client?.host ?? "unknown")",
        "reason": "\(refusal.sentence)",
      ])
    let code: ErrorCode = refusal.status == 403 ? .noPermission : .subscribeFailed
    return .error(refusal.status, RoomError(code, refusal.sentence), headers: [("Access-Control-Allow-Origin", "*")])
  }
}
