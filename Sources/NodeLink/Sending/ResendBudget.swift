import RoomRTP

/// The bytes that may be sent again: a quarter of those sent, and at most as much as a quarter of the last one to two seconds.
///
/// A receiver that asks for everything therefore gets a quarter more, and one whose path failed for a moment gets it whole.
struct ResendBudget {
  /// The credit of a link that has sent little.
  static let floor = 64 << 10
  private static let period: Int64 = 1_000_000
  /// The credit of a link with a limit: that of a quarter of it over half a second, and at least this many bytes.
  private static let limitedFloor = 3 << 10

  private var credit = ResendBudget.floor
  private var current = 0
  private var previous = 0
  private var periodEnd: Instant
  /// The most that may be kept on a link with a limit; nil without one.
  private var cap: Int?

  var isLimited: Bool { cap != nil }

  init(now: Instant) { periodEnd = now.advanced(microseconds: Self.period) }

  /// Sets the bits per second that the path carries; nil without a limit.
  mutating func limit(to bitrate: Int?) {
    cap = bitrate.map { max(Self.limitedFloor, $0 / 8 / 4 / 2) }
    if let cap { credit = min(credit, cap) }
  }

  /// Adds the credit of a datagram that is sent for the first time.
  mutating func sent(_ bytes: Int, now: Instant) {
    if now >= periodEnd {
      previous = now - periodEnd < Self.period ? current : 0
      current = 0
      periodEnd = now.advanced(microseconds: Self.period)
    }
    current &+= bytes
    credit = min(cap ?? max(Self.floor, (previous &+ current) / 4), credit &+ (bytes &+ 3) / 4)
  }

  /// Takes the bytes of a datagram to send again; returns false if too few are left. On a link with a limit, a quarter of the credit is for
  /// urgent datagrams.
  mutating func take(_ bytes: Int, isUrgent: Bool) -> Bool {
    guard bytes <= credit - (isUrgent ? 0 : (cap ?? 0) / 4) else { return false }
    credit &-= bytes
    return true
  }
}
