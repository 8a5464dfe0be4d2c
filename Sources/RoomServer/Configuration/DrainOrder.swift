import RoomProtocol

/// The order that makes a server run empty.
struct DrainOrder: Sendable {
  /// Milliseconds since 1970.
  var startedAt: Int64
  /// Milliseconds since 1970: who is still here then is sent away.
  var deadline: Int64
  /// The signalling URL of the server that takes over; nil if none is known.
  var redirect: String?

  /// What is wrong with a URL to redirect to; nil if nothing is.
  static func complaint(redirect: String) -> String? {
    let scheme = redirect.firstMatch(of: /^wss?:\/\/[^\/?#]+/)
    return scheme != nil && redirect.utf8.count <= 1024 ? nil : "ws:// or wss:// and the host of another server are needed"
  }

  /// The error for a client that comes too late.
  func error(_ code: ErrorCode) -> RoomError {
    RoomError(
      code, "the server opens no rooms any more; " + (redirect.map { "go to \($0)" } ?? "try again in a moment"),
      redirect: redirect)
  }
}
