public import RTP

/// How long after its moment a source is shown and heard: as long as what it sends has lately taken to come, between 40 and 400 ms.
///
/// It grows at once, so that nothing more is missed, and shrinks by 2 % of the time that passes, which nobody notices.
public struct PlayoutDelay: Sendable {
  /// Microseconds.
  public static let range: ClosedRange<Int64> = 40_000...400_000
  /// Of the slowest that came, so much is added: what is read in steps has to be there before.
  private static let margin: Int64 = 15_000

  /// Microseconds.
  public private(set) var microseconds: Int64

  private let least: Int64
  private var slowest = SlidingMinimum(window: 12_000_000)
  private var shrunkAt: Instant?

  /// - Parameters:
  ///   - initial: microseconds, before anything is known.
  ///   - least: microseconds, below which it never goes.
  public init(initial: Int64 = 100_000, least: Int64 = PlayoutDelay.range.lowerBound) {
    self.least = min(max(least, Self.range.lowerBound), Self.range.upperBound)
    microseconds = min(max(initial, self.least), Self.range.upperBound)
  }

  /// Something of media time `time` could be shown or heard from `now` on.
  public mutating func came(_ time: MediaTime, at now: Instant) {
    let lateness = now.mediaTime - time
    slowest.insert(0 &- lateness, at: now)
    expect(lateness)
  }

  /// Microseconds by which what came lately was late, as somebody else has seen who listens longer.
  public mutating func expect(_ lateness: Int64) {
    microseconds = min(max(microseconds, lateness &+ Self.margin), Self.range.upperBound)
  }

  /// Lets time pass: the delay shrinks towards what is needed.
  public mutating func advance(to now: Instant) {
    let elapsed = max(0, now - (shrunkAt ?? now))
    let step = min(elapsed, 1_000_000) / 50
    guard step > 0 || shrunkAt == nil else { return }
    shrunkAt = now
    guard let needed = slowest.value.map({ 0 &- $0 &+ Self.margin }) else { return }
    microseconds = max(microseconds - step, min(max(needed, least), Self.range.upperBound))
  }
}
