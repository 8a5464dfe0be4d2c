/// When statistics are due. Pure: time is handed in.
struct StatisticsSchedule: Sendable {
  typealias Time = ContinuousClock.Instant

  /// Nil for no statistics.
  private var interval: Duration?
  /// Nil before the room is joined.
  private var due: Time?

  /// - Parameter seconds: between two reports, limited to 0.1…86400; nil for none.
  init(seconds: Double?) { interval = seconds.map(Self.duration) }

  /// How often to ask ``isDue(now:)``.
  var pause: Duration { min(.milliseconds(500), (interval ?? .seconds(1)) / 2) }

  /// The room is joined, for the first time or again.
  mutating func joined(now: Time) { due = now + (interval ?? .zero) }

  /// Takes another interval, which begins now.
  mutating func set(seconds: Double?, now: Time) {
    interval = seconds.map(Self.duration)
    if due != nil { joined(now: now) }
  }

  /// Whether to report now; true once for each report.
  mutating func isDue(now: Time) -> Bool {
    guard let interval, let due, now >= due else { return false }
    self.due = now + interval
    return true
  }

  private static func duration(_ seconds: Double) -> Duration {
    // Written so that NaN, too, becomes the shortest.
    seconds > 0.1 ? .seconds(min(seconds, 86_400)) : .milliseconds(100)
  }
}
