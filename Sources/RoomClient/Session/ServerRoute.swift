/// The servers of a room: the current one, which a redirect may have named, and those before it.
struct ServerRoute {
  /// The largest number of consecutive redirects.
  private static let limit = 3

  private(set) var address: SignalAddress
  /// The server that the app named.
  private let origin: SignalAddress
  /// The servers before ``address``, the last one first, which named it or did not answer; among them the one that the app named.
  private var previous: [SignalAddress] = []
  /// The number of them that are kept.
  private static let previousLimit = 3
  /// The number of redirects since the last join or wait.
  private var redirects = 0
  /// Servers that can continue the session if the current one ends, the best first.
  private var spares: [SignalAddress] = []
  /// The number of them that are kept.
  private static let spareLimit = 4

  init(_ address: SignalAddress) { (self.address, origin) = (address, address) }

  /// Whether the limit permits another redirect.
  var mayFollow: Bool { redirects < Self.limit }

  /// Switches to the server at this URL.
  /// - Returns: false if there is no URL, or if it is less secure than the current one.
  mutating func follow(_ redirect: String?) -> Bool {
    guard let redirect, let named = try? SignalAddress(redirect), named.isSecure || !address.isSecure else { return false }
    go(to: named)
    return true
  }

  private mutating func go(to next: SignalAddress) {
    previous.removeAll { $0 == address || $0 == next }
    if next != address { previous.insert(address, at: 0) }
    if previous.count > Self.previousLimit, let oldest = previous.lastIndex(where: { $0 != origin }) {
      previous.remove(at: oldest)
    }
    spares.removeAll { $0 == next }
    address = next
  }

  /// Counts a redirect to the current address.
  mutating func redirected() { redirects += 1 }

  /// Returns to a server before the current one, which may know the room's current server. Each has its turn.
  /// - Returns: whether to connect to it at once.
  mutating func goBack() -> Bool {
    guard let next = previous.first else { return false }
    previous.removeFirst()
    previous.append(address)
    address = next
    redirects += 1
    if mayFollow { return true }
    redirects = 0
    return false
  }

  mutating func settled() { redirects = 0 }

  // MARK: Alternatives

  var hasSpare: Bool { !spares.isEmpty }

  /// Takes what the current server says of others. Ignores those that are less secure.
  mutating func setSpares(_ urls: [String]) {
    let all = urls.prefix(Self.spareLimit).compactMap { try? SignalAddress($0) } + [origin]
    spares = []
    for next in all where (next.isSecure || !address.isSecure) && next != address && !spares.contains(next) {
      spares.append(next)
    }
  }

  /// Forgets a server that does not answer.
  mutating func drop(_ spare: SignalAddress) { spares.removeAll { $0 == spare } }

  /// The server at which the session continues; nil if there is none.
  var nextSpare: SignalAddress? { spares.first }

  /// Switches to another server, because the current one does not answer, or ends. Each is tried once.
  /// - Returns: false if there is none.
  mutating func takeSpare() -> Bool {
    guard mayFollow, let next = spares.first else { return false }
    go(to: next)
    redirects += 1
    return true
  }
}
