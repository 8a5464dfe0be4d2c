import RoomRTP

/// A sum per second, over the last two seconds.
struct RateMeter: Sendable {
  private static let window: Int64 = 2_000_000
  /// More events of a window are counted as one.
  private static let limit = 1000

  private var events: [(at: Instant, amount: Int)] = []
  private var since: Instant?

  mutating func add(_ amount: Int, now: Instant) {
    since = since ?? now
    if events.count >= Self.limit, let last = events.indices.last {
      events[last].amount += amount
    } else {
      events.append((now, amount))
    }
    forget(now)
  }

  /// Returns the amount per second.
  mutating func rate(now: Instant) -> Double {
    forget(now)
    guard let since else { return 0 }
    let time = min(max(now - since, 500_000), Self.window)
    return Double(events.reduce(0) { $0 + $1.amount }) * 1_000_000 / Double(time)
  }

  private mutating func forget(_ now: Instant) {
    let old = events.firstIndex { now - $0.at < Self.window } ?? events.count
    events.removeFirst(old)
  }
}
