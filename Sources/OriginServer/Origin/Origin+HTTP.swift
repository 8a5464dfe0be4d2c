import HTTPServer
import Logging
import RoomProtocol

extension Origin {
  /// What the responses of HTTP players have in common: any page may play, and nothing is kept.
  static let headers: [(name: String, value: String)] = [
    ("Cache-Control", "no-store"), ("Access-Control-Allow-Origin", "*"), ("X-Content-Type-Options", "nosniff"),
  ]

  /// Answers, counts and logs a refusal of something that was asked for over HTTP.
  func refused(_ refusal: OriginRefusal, _ request: HTTPRequest) -> HTTPResponse {
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
