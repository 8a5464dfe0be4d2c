import RoomRTP

/// The deadline by which a connection must have sent a complete request. The library's own timeout restarts with each byte.
struct RequestDeadline: Sendable {
  /// The minimum rate at which a client must send a body, in bytes per second.
  private static let bodyRate = 16 << 10

  /// Microseconds for the head of a request.
  private let headTime: Int64
  /// Microseconds for which a connection may be idle between two requests, the same as the library's.
  private let idleTime: Int64
  /// Nil while a request is answered.
  private(set) var due: Instant?
  private var isUpgraded = false

  /// Creates the deadline of a connection that was accepted at `now`.
  init(headTime: Int64, idleTime: Int64, now: Instant) {
    self.headTime = headTime
    self.idleTime = idleTime
    due = now.advanced(microseconds: headTime)
  }

  /// Called when the head has arrived; at most `body` bytes follow.
  mutating func headReceived(body: Int, now: Instant) {
    due = now.advanced(microseconds: headTime &+ Int64(clamping: max(0, body) / Self.bodyRate) &* 1_000_000)
  }

  /// Called when the request is complete, or rejected.
  mutating func requestReceived() { due = nil }

  /// Called when the connection changes to another protocol.
  mutating func upgraded() {
    due = nil
    isUpgraded = true
  }

  /// Called when the answer is sent; another request may follow.
  mutating func answered(now: Instant) {
    if !isUpgraded { due = now.advanced(microseconds: idleTime &+ headTime) }
  }

  func isOver(_ now: Instant) -> Bool { due.map { now >= $0 } ?? false }
}
