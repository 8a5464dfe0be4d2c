public import RTP

/// How long after its moment a source is shown and heard: as long as what it sends has lately taken to come, between 40 and 400 ms.
///
/// It grows at once, so that nothing more is missed, and shrinks by 2 % of the time that passes, which nobody notices. A source of
/// which everything comes too late, because its own reports say so, is moved as a whole (``shift``), instead of never being heard.
public struct PlayoutDelay: Sendable {
  /// Microseconds.
  public static let range: ClosedRange<Int64> = 40_000...400_000
  /// Of the slowest that came, so much is added: what is read in steps has to be there before.
  private static let margin: Int64 = 15_000
  /// Of the fastest that comes, in the range of which there is no need to move the source.
  private static let hopeless: Int64 = 300_000
  /// The fastest after the move.
  private static let moved: Int64 = 60_000

  /// Microseconds.
  public private(set) var microseconds: Int64
  /// Microseconds that are added to all times of the source.
  public private(set) var shift: Int64 = 0

  private let least: Int64
  private var slowest = SlidingMinimum(window: 12_000_000)
  private var fastest = SlidingMinimum(window: 5_000_000, buckets: 5)
  private var firstAt: Instant?
  private var shrunkAt: Instant?

  /// - Parameters:
  ///   - initial: microseconds, before anything is known.
  ///   - least: microseconds, below which it never goes.
  public init(initial: Int64 = 100_000, least: Int64 = PlayoutDelay.range.lowerBound) {
    self.least = min(max(least, Self.range.lowerBound), Self.range.upperBound)
    microseconds = min(max(initial, self.least), Self.range.upperBound)
  }

  /// Something of media time `time` could be shown or heard from `now` on.
  public mutating func came(_ time: Instant, at now: Instant) {
    let lateness = now - time
    let first = firstAt ?? now
    firstAt = first
    fastest.insert(lateness, at: now)
    if now - first >= 3_000_000, let floor = fastest.value { move(floor) }
    let rest = lateness &- shift
    slowest.insert(0 &- rest, at: now)
    microseconds = min(max(microseconds, rest &+ Self.margin), Self.range.upperBound)
  }

  private mutating func move(_ floor: Int64) {
    if floor &- shift > Self.hopeless {
      shift = floor &- Self.moved
      slowest = SlidingMinimum(window: 12_000_000)
    } else if shift > 0, floor < shift {
      shift = max(0, floor &- Self.moved)
    }
  }

  /// Microseconds by which what came lately was late, as somebody else has seen who listens longer.
  public mutating func expect(_ lateness: Int64) {
    guard lateness <= Self.hopeless else { return }
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
