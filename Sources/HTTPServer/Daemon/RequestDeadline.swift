import RTP

/// Until when a connection has to send a whole request. The library's own timeout begins again with each byte.
struct RequestDeadline: Sendable {
  /// Bytes of a body that the slowest client sends in a second.
  private static let bodyRate = 16 << 10

  /// Microseconds for the head of a request.
  private let headTime: Int64
  /// Microseconds for which a connection may wait between two requests: as long as the library lets it.
  private let idleTime: Int64
  /// Nil while a request is answered.
  private(set) var due: Instant?
  private var isUpgraded = false

  /// A connection that was accepted at `now`.
  init(headTime: Int64, idleTime: Int64, now: Instant) {
    self.headTime = headTime
    self.idleTime = idleTime
    due = now.advanced(microseconds: headTime)
  }

  /// The head is there; at most `body` bytes follow.
  mutating func headCame(body: Int, now: Instant) {
    due = now.advanced(microseconds: headTime &+ Int64(clamping: max(0, body) / Self.bodyRate) &* 1_000_000)
  }

  /// The request is whole, or refused.
  mutating func requestCame() { due = nil }

  /// The connection speaks another protocol from here on.
  mutating func upgraded() {
    due = nil
    isUpgraded = true
  }

  /// The answer is sent; another request may come.
  mutating func answered(now: Instant) {
    if !isUpgraded { due = now.advanced(microseconds: idleTime &+ headTime) }
  }

  func isOver(_ now: Instant) -> Bool { due.map { now >= $0 } ?? false }
}
