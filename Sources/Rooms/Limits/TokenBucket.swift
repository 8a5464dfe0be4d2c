import RoomRTP

/// A token bucket: allows an average rate per second and a burst.
package struct TokenBucket: Sendable, Hashable {
  package let perSecond: Double
  package let burst: Double
  private var tokens: Double
  private var filled: Instant

  /// Creates a full bucket.
  package init(perSecond: Double, burst: Int, now: Instant) {
    self.perSecond = perSecond
    self.burst = Double(burst)
    tokens = Double(burst)
    filled = now
  }

  /// Takes one token. Returns false if none is left.
  package mutating func take(now: Instant) -> Bool {
    fill(now)
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }

  /// Takes `count` tokens. Returns false, and takes none, if there are fewer. A count above the burst is reduced to the burst.
  package mutating func take(_ count: Double, now: Instant) -> Bool {
    fill(now)
    let count = min(count, burst)
    guard tokens >= count else { return false }
    tokens -= count
    return true
  }

  /// Returns tokens that were taken for an operation that failed.
  package mutating func putBack(_ count: Double) { tokens = min(burst, tokens + count) }

  /// Returns the microseconds until `take` would succeed; nil if it never will.
  package mutating func wait(now: Instant) -> Int64? {
    fill(now)
    if tokens >= 1 { return 0 }
    guard perSecond > 0 else { return nil }
    return Int64(((1 - tokens) / perSecond * 1_000_000).rounded(.up))
  }

  /// Returns whether the bucket is full again.
  package func isFull(now: Instant) -> Bool { tokens + Double(max(0, now - filled)) / 1_000_000 * perSecond >= burst }

  private mutating func fill(_ now: Instant) {
    let elapsed = max(0, now - filled)
    tokens = min(burst, tokens + Double(elapsed) / 1_000_000 * perSecond)
    filled = max(filled, now)
  }
}
