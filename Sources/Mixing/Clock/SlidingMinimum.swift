public import RoomRTP

/// The minimum over a sliding window, in buckets: old values expire one bucket at a time.
public struct SlidingMinimum: Sendable {
  private let bucketLength: Int64
  private var buckets: [Int64]
  private var newest: Int64?

  /// - Parameter window: The window in µs.
  public init(window: Int64, buckets: Int = 12) {
    bucketLength = max(1, window / Int64(buckets))
    self.buckets = Array(repeating: .max, count: buckets)
  }

  /// The minimum; nil before the first value.
  public var value: Int64? { buckets.min().flatMap { $0 == .max ? nil : $0 } }

  /// Inserts a value.
  public mutating func insert(_ value: Int64, at now: Instant) {
    let number = now.microseconds / bucketLength
    let last = newest ?? number
    if number > last {
      for passed in (last + 1)...min(number, last + Int64(buckets.count)) { buckets[place(passed)] = .max }
      newest = number
    } else if newest == nil {
      newest = number
    }
    // A value from before the newest bucket is counted in it: the clocks do not run backwards by more.
    let index = place(max(number, last))
    buckets[index] = min(buckets[index], value)
  }

  private func place(_ number: Int64) -> Int {
    let count = Int64(buckets.count)
    return Int(((number % count) + count) % count)
  }
}
