/// A token bucket with a rate per second and a burst. The bucket's only state is the time at which the bucket is full again.
struct MessageRateLimit: Codable, Hashable, Sendable {
  /// Microseconds since 1970.
  private var wholeAt: Int64 = 0

  /// Takes one token. Returns false, and changes nothing, if none is left.
  /// - Parameter now: milliseconds since 1970.
  mutating func take(perSecond: Int, burst: Int, now: Int64) -> Bool {
    let interval = 1_000_000 / Int64(max(1, perSecond))
    let now = now * 1000
    let next = max(wholeAt, now) + interval
    guard next - now <= interval * Int64(max(1, burst)) else { return false }
    wholeAt = next
    return true
  }
}
