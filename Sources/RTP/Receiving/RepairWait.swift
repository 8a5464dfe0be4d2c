/// The useful wait for a missing packet, learnt from the duration of earlier repairs.
struct RepairWait: Sendable {
  private let range: ClosedRange<Int64>
  /// The estimated duration of a repair in microseconds; rises at once and falls slowly.
  private var estimate: Int64

  /// Creates an estimate; all values in microseconds.
  init(initial: Int64, range: ClosedRange<Int64>) {
    self.range = range
    estimate = (initial - Self.margin) * 2 / 5
  }

  /// A margin for repairs that are slower than all earlier ones.
  private static let margin: Int64 = 50_000

  /// The time in microseconds from detecting a gap to giving it up.
  var microseconds: Int64 { max(range.lowerBound, min(range.upperBound, estimate * 5 / 2 + Self.margin)) }

  /// Records that a packet arrived `delay` microseconds after its loss was detected.
  mutating func repaired(after delay: Int64) {
    estimate = max(min(delay, range.upperBound), estimate - estimate / 32)
  }

  /// Records that a packet was given up.
  mutating func abandoned() { estimate -= estimate / 16 }

  /// Records that a packet arrived after it was given up.
  mutating func arrivedLate() { estimate = min(range.upperBound, estimate + estimate / 4 + 10_000) }
}
