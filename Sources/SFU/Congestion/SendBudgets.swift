import RoomRTP

/// Limits retransmissions to a quarter of the target, so that a full path does not get fuller by them.
struct RepairBudget {
  /// The time in microseconds over which the budget is averaged.
  private static let window: Int64 = 200_000
  private static let share = 4
  /// Three full packets, so that a thin path is repaired too.
  private static let least = 4500

  private var bytes = Self.least
  private var filled: Instant?

  mutating func allows(bytes count: Int, target: Int, now: Instant) -> Bool {
    let perSecond = target / 8 / Self.share
    let capacity = max(Self.least, perSecond * Int(Self.window) / 1_000_000)
    let elapsed = min(max(0, now - (filled ?? now)), 1_000_000)
    bytes = min(capacity, bytes + perSecond * Int(elapsed) / 1_000_000)
    filled = now
    guard bytes >= count else { return false }
    bytes -= count
    return true
  }
}

/// The bytes that a paced path may send now. Audio, repairs and reports do not wait, but use the budget.
struct PaceBudget {
  /// The share of the target at which video is sent: more, so that a key frame does not take long; less while a queue drains or
  /// more video waits than fits.
  static let growing = 1.1
  static let draining = 0.95
  /// The longest burst in microseconds.
  private static let burst: Int64 = 12_000
  private static let leastBurst = 1500
  /// The longest debt in microseconds, so that video does not wait long after a burst.
  private static let debt: Int64 = 500_000

  private(set) var bytes = 0
  private var filled: Instant?
  /// Bits that did not make a byte yet.
  private var rest: Int64 = 0

  @inline(__always) mutating func spend(_ count: Int) { bytes &-= count }

  mutating func refill(bitsPerSecond: Int, now: Instant) {
    let elapsed = min(max(0, now - (filled ?? now)), 1_000_000)
    filled = now
    let earned = Int64(bitsPerSecond) * elapsed + rest
    rest = earned % 8_000_000
    let most = max(Self.leastBurst, Int(Int64(bitsPerSecond) * Self.burst / 8_000_000))
    let least = -Int(Int64(bitsPerSecond) * Self.debt / 8_000_000)
    bytes = min(most, max(least, bytes) + Int(earned / 8_000_000))
  }
}
