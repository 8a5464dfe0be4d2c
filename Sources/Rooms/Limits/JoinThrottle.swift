import RTP
import WebRTC

/// Joins a second and address, for a bounded number of addresses.
///
/// A bucket that nobody took from for as long as it takes to fill is as good as new, and is forgotten. There are two tables: after
/// each such time the older one is dropped whole and the younger one becomes the older. A join thus costs the same however many
/// addresses there are.
package struct JoinThrottle: Sendable {
  package let perSecond: Double
  package let burst: Int
  package let capacity: Int
  /// Of addresses that joined since the tables changed.
  private var young: [TransportAddress: TokenBucket] = [:]
  /// Of addresses that joined in the time before, and not since.
  private var old: [TransportAddress: TokenBucket] = [:]
  private var changed: Instant?

  package init(perSecond: Double, burst: Int, capacity: Int) {
    self.perSecond = perSecond
    self.burst = burst
    self.capacity = capacity
  }

  /// How many addresses are remembered.
  package var count: Int { young.count + old.count }

  /// False where this address has joined too often. The port does not count; of an IPv6 address the first 64 bits do.
  package mutating func allows(_ client: TransportAddress, now: Instant) -> Bool {
    changeTables(now)
    let address = TransportAddress(high: client.high, low: client.isIPv4 ? client.low : 0, port: 0)
    var bucket: TokenBucket
    if let known = young[address] ?? old.removeValue(forKey: address) {
      bucket = known
    } else {
      // All of them busy at once is an attack from many addresses: nobody new is let in until the tables change.
      guard count < capacity else { return false }
      bucket = TokenBucket(perSecond: perSecond, burst: burst, now: now)
    }
    let isAllowed = bucket.take(now: now)
    young[address] = bucket
    return isAllowed
  }

  private mutating func changeTables(_ now: Instant) {
    guard let changed else { return self.changed = now }
    // Microseconds until an empty bucket is full.
    let fillTime = perSecond > 0 ? Int64(min(Double(burst) / perSecond * 1_000_000, 1e15).rounded(.up)) : .max
    let elapsed = now - changed
    guard elapsed >= fillTime else { return }
    old = elapsed - fillTime >= fillTime ? [:] : young
    young = [:]
    self.changed = now
  }
}
