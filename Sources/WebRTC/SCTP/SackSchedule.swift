import RoomRTP

/// When received data is acknowledged: every second packet at once, a single one within 200 ms (RFC 9260 §6.2).
struct SackSchedule {
  private static let delay: Int64 = 200_000

  private(set) var isDue = false
  private(set) var deadline: Instant?
  private var packets = 0

  /// Whether a packet that is sent anyway should carry a SACK.
  var hasUnacknowledged: Bool { packets > 0 }

  mutating func sendAtOnce() { isDue = true }

  mutating func receivedPacket(now: Instant) {
    packets += 1
    if packets >= 2 { isDue = true }
    if !isDue, deadline == nil { deadline = now.advanced(microseconds: Self.delay) }
  }

  mutating func advance(to now: Instant) {
    guard let due = deadline, due <= now else { return }
    deadline = nil
    isDue = true
  }

  mutating func sent() { self = SackSchedule() }
}
