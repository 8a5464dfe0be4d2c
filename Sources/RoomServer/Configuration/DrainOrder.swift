import RoomProtocol

/// The parameters of a drain.
package struct DrainOrder: Sendable {
  /// Milliseconds since 1970.
  package var startedAt: Int64
  /// Milliseconds since 1970: the remaining participants are disconnected then.
  package var deadline: Int64
  /// The signalling URL of the server that takes over; nil if none is configured.
  package var redirect: String?

  /// Returns the validation error of a redirect URL; nil if it is valid.
  package static func validationError(redirect: String) -> String? {
    let scheme = redirect.firstMatch(of: /^wss?:\/\/[^\/?#]+/)
    return scheme != nil && redirect.utf8.count <= 1024 ? nil : "must be ws:// or wss:// with the host of another server"
  }

  /// Returns the error for a client that arrives during the drain.
  package func error(_ code: ErrorCode) -> RoomError {
    RoomError(
      code, "the server is draining and opens no rooms; " + (redirect.map { "connect to \($0)" } ?? "try again in a moment"),
      redirect: redirect)
  }
}
