import RoomRTP

/// The bytes that may be sent again: a quarter of those sent, and at most as much as a quarter of the last one to two seconds.
///
/// A receiver that asks for everything therefore gets a quarter more, and one whose path failed for a moment gets it whole.
struct ResendBudget {
  /// The credit of a link that has sent little.
  static let floor = 64 << 10
  private static let period: Int64 = 1_000_000

  private var credit = ResendBudget.floor
  private var current = 0
  private var previous = 0
  private var periodEnd: Instant

  init(now: Instant) { periodEnd = now.advanced(microseconds: Self.period) }

  /// Adds the credit of a datagram that is sent for the first time.
  mutating func sent(_ bytes: Int, now: Instant) {
    if now >= periodEnd {
      previous = now - periodEnd < Self.period ? current : 0
      current = 0
      periodEnd = now.advanced(microseconds: Self.period)
    }
    current &+= bytes
    credit = min(max(Self.floor, (previous &+ current) / 4), credit &+ (bytes &+ 3) / 4)
  }

  /// Takes the bytes of a datagram to send again; returns false if too few are left.
  mutating func take(_ bytes: Int) -> Bool {
    guard bytes <= credit else { return false }
    credit &-= bytes
    return true
  }
}
