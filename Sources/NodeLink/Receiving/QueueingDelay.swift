import RoomRTP

/// How long datagrams wait in queues: their transit compared with the shortest of the last 5 to 10 s. The clocks of the two nodes
/// need not agree.
struct QueueingDelay {
  private static let period: Int64 = 5_000_000

  /// The shortest transits of the current and the previous period, modulo 2^32.
  private var current: UInt32?
  private var previous: UInt32?
  private var periodEnd: Instant
  private var sum: Int64 = 0
  private var count: Int64 = 0

  init(now: Instant) { periodEnd = now.advanced(microseconds: Self.period) }

  /// Records a datagram that arrived at `now`.
  /// - Parameter stamp: when it was sent, on the sender's clock.
  mutating func arrived(stamp: UInt32, now: Instant) {
    let transit = now.stamp &- stamp
    if now >= periodEnd {
      // After a pause the clocks may have drifted apart.
      previous = now - periodEnd < Self.period ? current : nil
      current = nil
      periodEnd = now.advanced(microseconds: Self.period)
    }
    current = current.map { Self.shorter($0, transit) } ?? transit
    let base = previous.flatMap { previous in current.map { Self.shorter(previous, $0) } } ?? current ?? transit
    let wait = Int64(Int32(bitPattern: transit &- base))
    sum &+= max(0, wait)
    count &+= 1
  }

  private static func shorter(_ a: UInt32, _ b: UInt32) -> UInt32 { Int32(bitPattern: a &- b) < 0 ? a : b }

  /// Returns the mean in microseconds since the last call; 0 if nothing has arrived.
  mutating func takeMean() -> UInt32 {
    defer { (sum, count) = (0, 0) }
    return count == 0 ? 0 : UInt32(clamping: sum / count)
  }
}
