/// Decides when statistics are due. Pure: the caller passes the time.
struct StatisticsSchedule: Sendable {
  typealias Time = ContinuousClock.Instant

  /// The interval; nil for no statistics.
  private var interval: Duration?
  /// The time of the next report; nil before the room is joined.
  private var due: Time?

  /// - Parameter seconds: the interval in seconds, clamped to 0.1…86400; nil for none.
  init(seconds: Double?) { interval = seconds.map(Self.duration) }

  /// The interval at which to call `isDue(now:)`.
  var pause: Duration { min(.milliseconds(500), (interval ?? .seconds(1)) / 2) }

  /// Records a join, the first or a later one.
  mutating func joined(now: Time) { due = now + (interval ?? .zero) }

  /// Changes the interval, which starts now.
  mutating func set(seconds: Double?, now: Time) {
    interval = seconds.map(Self.duration)
    if due != nil { joined(now: now) }
  }

  /// Returns whether to report now; true once for each report.
  mutating func isDue(now: Time) -> Bool {
    guard let interval, let due, now >= due else { return false }
    self.due = now + interval
    return true
  }

  private static func duration(_ seconds: Double) -> Duration {
    // Written so that NaN also results in the shortest interval.
    seconds > 0.1 ? .seconds(min(seconds, 86_400)) : .milliseconds(100)
  }
}
