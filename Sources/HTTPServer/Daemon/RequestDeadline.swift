import RoomRTP

/// The deadline by which a connection must have sent a complete request. The library's own timeout restarts with each byte.
struct RequestDeadline: Sendable {
  /// The minimum rate at which a client must send a body, in bytes per second.
  private static let bodyRate: Int64 = 16 << 10

  /// Microseconds for the head of a request.
  private let headTime: Int64
  /// Microseconds for which a connection may be idle between two requests, the same as the library's.
  private let idleTime: Int64
  /// Nil while a request is answered.
  private(set) var due: Instant?
  private var isUpgraded = false
  /// Microseconds that are left while the reading of a body is paused.
  private var left: Int64?

  /// Creates the deadline of a connection that was accepted at `now`.
  init(headTime: Int64, idleTime: Int64, now: Instant) {
    self.headTime = headTime
    self.idleTime = idleTime
    due = now.advanced(microseconds: headTime)
  }

  /// Called when the head has arrived; at most `body` bytes follow.
  mutating func headReceived(body: Int64, now: Instant) {
    due = now.advanced(microseconds: headTime &+ max(0, body) / Self.bodyRate &* 1_000_000)
  }

  /// Called when a body that is read while it arrives begins.
  mutating func streamBegan(now: Instant) { due = now.advanced(microseconds: idleTime) }

  /// Called when bytes of such a body have arrived. The bytes buy time at `bodyRate`, up to the idle time: a silent sender is
  /// overdue after the idle time, a slow one some time later.
  mutating func streamReceived(_ bytes: Int, now: Instant) {
    guard let due else { return }
    let bought = due.advanced(microseconds: Int64(max(0, bytes)) &* 1_000_000 / Self.bodyRate)
    self.due = min(bought, now.advanced(microseconds: idleTime))
  }

  /// Called when the server stops reading a body, because its reader is slower than the sender.
  mutating func streamPaused(now: Instant) {
    left = due.map { $0 - now }
    due = nil
  }

  /// Called when the server continues to read.
  mutating func streamContinued(now: Instant) {
    guard let left else { return }
    due = now.advanced(microseconds: left)
    self.left = nil
  }

  /// Called when the request is complete, or rejected.
  mutating func requestReceived() {
    due = nil
    left = nil
  }

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
