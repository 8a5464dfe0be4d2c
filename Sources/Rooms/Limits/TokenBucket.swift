import RTP

/// Allows so many events a second on average, and so many at once.
package struct TokenBucket: Sendable, Hashable {
  package let perSecond: Double
  package let burst: Double
  private var tokens: Double
  private var filled: Instant

  /// A full bucket.
  package init(perSecond: Double, burst: Int, now: Instant) {
    self.perSecond = perSecond
    self.burst = Double(burst)
    tokens = Double(burst)
    filled = now
  }

  /// Takes one; false where none is left.
  package mutating func take(now: Instant) -> Bool {
    fill(now)
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }

  /// Takes so many; false if there are fewer, and then none is taken. More than the burst count as the burst.
  package mutating func take(_ count: Double, now: Instant) -> Bool {
    fill(now)
    let count = min(count, burst)
    guard tokens >= count else { return false }
    tokens -= count
    return true
  }

  /// Puts back what was taken in vain.
  package mutating func putBack(_ count: Double) { tokens = min(burst, tokens + count) }

  /// Microseconds until `take` would succeed; nil where it never will.
  package mutating func wait(now: Instant) -> Int64? {
    fill(now)
    if tokens >= 1 { return 0 }
    guard perSecond > 0 else { return nil }
    return Int64(((1 - tokens) / perSecond * 1_000_000).rounded(.up))
  }

  /// True where nothing was taken for so long that the bucket is as new.
  package func isFull(now: Instant) -> Bool { tokens + Double(max(0, now - filled)) / 1_000_000 * perSecond >= burst }

  private mutating func fill(_ now: Instant) {
    let elapsed = max(0, now - filled)
    tokens = min(burst, tokens + Double(elapsed) / 1_000_000 * perSecond)
    filled = max(filled, now)
  }
}
