public import RoomRTP

/// The playout delay of a source: the recent maximum transit time of its media, between 40 and 400 ms.
///
/// The delay grows at once, so that nothing more is missed. The delay shrinks by 2 % of the elapsed time, which is
/// imperceptible.
public struct PlayoutDelay: Sendable {
  /// The range of the delay in µs.
  public static let range: ClosedRange<Int64> = 40_000...400_000
  /// Added to the slowest arrival in µs: data read in steps must be available before.
  private static let margin: Int64 = 15_000

  /// The current delay in µs.
  public private(set) var microseconds: Int64

  private let least: Int64
  private var slowest = SlidingMinimum(window: 12_000_000)
  private var shrunkAt: Instant?

  /// - Parameters:
  ///   - initial: The delay before any media arrives, in µs.
  ///   - least: The minimum delay in µs.
  public init(initial: Int64 = 100_000, least: Int64 = PlayoutDelay.range.lowerBound) {
    self.least = min(max(least, Self.range.lowerBound), Self.range.upperBound)
    microseconds = min(max(initial, self.least), Self.range.upperBound)
  }

  /// Records that media with media time `time` became available at `now`.
  public mutating func recordArrival(_ time: MediaTime, at now: Instant) {
    let lateness = now.mediaTime - time
    slowest.insert(0 &- lateness, at: now)
    expect(lateness)
  }

  /// Applies the recent lateness in µs as measured by another component that has observed the source for longer.
  public mutating func expect(_ lateness: Int64) {
    microseconds = min(max(microseconds, lateness &+ Self.margin), Self.range.upperBound)
  }

  /// Advances time: the delay shrinks towards the required one.
  public mutating func advance(to now: Instant) {
    let elapsed = max(0, now - (shrunkAt ?? now))
    let step = min(elapsed, 1_000_000) / 50
    guard step > 0 || shrunkAt == nil else { return }
    shrunkAt = now
    guard let needed = slowest.value.map({ 0 &- $0 &+ Self.margin }) else { return }
    microseconds = max(microseconds - step, min(max(needed, least), Self.range.upperBound))
  }
}
