import RoomProtocol
import RoomRTP

/// The fences with which a node gave up rooms lately. The answer to an earlier claim may arrive only then: of two claims under way
/// at once, the second one's answer may be processed first.
struct PastFences: Sendable {
  /// Longer than any request to the store; µs.
  private static let time: Int64 = 10_000_000
  private var recent: [RoomName: Int64] = [:]
  private var older: [RoomName: Int64] = [:]
  private var next: Instant?

  mutating func add(_ lease: RoomLease) { recent[lease.room] = lease.fence }

  /// Whether a lease is later than what the node gave up.
  func allows(_ lease: RoomLease) -> Bool { lease.fence > max(recent[lease.room] ?? 0, older[lease.room] ?? 0) }

  /// Forgets what was added more than 10 s ago.
  mutating func advance(to now: Instant) {
    if let next, now < next { return }
    (older, recent) = (recent, [:])
    next = now.advanced(microseconds: Self.time)
  }
}
