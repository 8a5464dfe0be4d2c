/// The servers of a room: the current one, which a redirect may have named, and the one before it.
struct ServerRoute {
  /// The largest number of consecutive redirects.
  private static let limit = 3

  private(set) var address: SignalAddress
  /// The server that named ``address``; nil without a redirect.
  private var previous: SignalAddress?
  /// The number of redirects since the last join or wait.
  private var redirects = 0

  init(_ address: SignalAddress) { self.address = address }

  /// Whether the limit permits another redirect.
  var mayFollow: Bool { redirects < Self.limit }

  /// Switches to the server at this URL.
  /// - Returns: false if there is no URL, or if it is less secure than the current one.
  mutating func follow(_ redirect: String?) -> Bool {
    guard let redirect, let named = try? SignalAddress(redirect), named.isSecure || !address.isSecure else { return false }
    (previous, address) = (address, named)
    return true
  }

  /// Counts a redirect to the current address.
  mutating func redirected() { redirects += 1 }

  /// Returns to the server before the current one, which may know the room's current server.
  /// - Returns: whether to connect to it at once.
  mutating func goBack() -> Bool {
    guard let previous else { return false }
    (address, self.previous) = (previous, address)
    redirects += 1
    if mayFollow { return true }
    redirects = 0
    return false
  }

  mutating func settled() { redirects = 0 }
}
