/// Counts durations in classes of equal width, so that percentiles cost a fixed amount of memory.
struct TimeHistogram: Sendable {
  /// Microseconds of a class.
  private let width: Int64
  private var counts: [Int]
  private var count = 0
  /// The longest duration in microseconds.
  private(set) var longest: Int64 = 0

  /// - Parameter classes: number of classes; the last one also counts everything longer.
  init(width: Int64, classes: Int) {
    self.width = width
    counts = [Int](repeating: 0, count: classes)
  }

  mutating func add(_ microseconds: Int64) {
    let microseconds = max(0, microseconds)
    counts[min(counts.count - 1, Int(microseconds / width))] += 1
    count += 1
    longest = max(longest, microseconds)
  }

  /// Returns the duration in milliseconds that `share` (0…1) of all durations do not exceed, rounded up to a class; 0 if there
  /// are none.
  func milliseconds(_ share: Double) -> Double {
    var left = Int((share * Double(count)).rounded(.up))
    for (index, count) in counts.enumerated() where count > 0 {
      left -= count
      if left <= 0 { return Double(min(longest, Int64(index + 1) * width)) / 1000 }
    }
    return Double(longest) / 1000
  }
}
