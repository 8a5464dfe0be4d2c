/// Decides when statistics are due. Pure: the caller passes the time.
struct StatisticsSchedule: Sendable {
  typealias Time = ContinuousClock.Instant

  /// The interval; nil for no statistics.
  private var interval: Duration?
  /// The time of the next report; nil before the room is joined.
  private var due: Time?

  private static let limits = Duration.milliseconds(100)...Duration.seconds(86_400)

  /// - Parameter interval: the interval, clamped to 0.1 s…1 day; nil for none.
  init(interval: Duration?) { self.interval = interval.map(Self.clamped) }

  /// The interval at which to call `isDue(now:)`.
  var pause: Duration { min(.milliseconds(500), (interval ?? .seconds(1)) / 2) }

  /// Records a join, the first or a later one.
  mutating func joined(now: Time) { due = now + (interval ?? .zero) }

  /// Changes the interval, which starts now.
  mutating func set(interval: Duration?, now: Time) {
    self.interval = interval.map(Self.clamped)
    if due != nil { joined(now: now) }
  }

  /// Returns whether to report now; true once for each report.
  mutating func isDue(now: Time) -> Bool {
    guard let interval, let due, now >= due else { return false }
    self.due = now + interval
    return true
  }

  private static func clamped(_ interval: Duration) -> Duration {
    min(max(interval, limits.lowerBound), limits.upperBound)
  }
}
