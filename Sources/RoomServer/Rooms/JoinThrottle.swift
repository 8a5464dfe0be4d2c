import RTP
import WebRTC

/// Joins a second and address. Remembers a bounded number of addresses; those whose bucket is full again are forgotten first.
struct JoinThrottle: Sendable {
  let perSecond: Double
  let burst: Int
  let capacity: Int
  private var buckets: [TransportAddress: TokenBucket] = [:]

  init(perSecond: Double, burst: Int, capacity: Int) {
    self.perSecond = perSecond
    self.burst = burst
    self.capacity = capacity
  }

  /// How many addresses are remembered.
  var count: Int { buckets.count }

  /// False where this address has joined too often. The port does not count; of an IPv6 address the first 64 bits do.
  mutating func allows(_ client: TransportAddress, now: Instant) -> Bool {
    let address = TransportAddress(high: client.high, low: client.isIPv4 ? client.low : 0, port: 0)
    if buckets[address] == nil && buckets.count >= capacity {
      buckets = buckets.filter { !$0.value.isFull(now: now) }
      // All of them busy at once is an attack from many addresses: nobody new is let in until one is quiet.
      guard buckets.count < capacity else { return false }
    }
    return buckets[address, default: TokenBucket(perSecond: perSecond, burst: burst, now: now)].take(now: now)
  }
}
