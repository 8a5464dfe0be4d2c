/// How long it pays to wait for a missing packet: learnt from how long repairs took.
struct RepairWait: Sendable {
  private let range: ClosedRange<Int64>
  /// Microseconds that repairs take: rises at once, falls slowly.
  private var estimate: Int64

  /// All in microseconds.
  init(initial: Int64, range: ClosedRange<Int64>) {
    self.range = range
    estimate = (initial - Self.margin) * 2 / 5
  }

  /// For the repair that is slower than any before it.
  private static let margin: Int64 = 50_000

  /// Microseconds from the noticing of a gap to giving it up.
  var microseconds: Int64 { max(range.lowerBound, min(range.upperBound, estimate * 5 / 2 + Self.margin)) }

  /// A packet came `delay` microseconds after it had been missed.
  mutating func repaired(after delay: Int64) {
    estimate = max(min(delay, range.upperBound), estimate - estimate / 32)
  }

  /// A packet was given up.
  mutating func gaveUp() { estimate -= estimate / 16 }

  /// A packet came after it had been given up.
  mutating func cameTooLate() { estimate = min(range.upperBound, estimate + estimate / 4 + 10_000) }
}
