import RoomRTP
import RoomWebRTC

/// Limits the joins per second of each address, for a bounded number of addresses.
///
/// A bucket that is unused for its fill time is full again and need not be kept. There are two tables: after each fill time the
/// older one is dropped and the younger one becomes the older. The cost of a join thus does not depend on the number of
/// addresses.
package struct JoinThrottle: Sendable {
  package let perSecond: Double
  package let burst: Int
  package let capacity: Int
  /// Addresses that joined since the last rotation.
  private var young: [TransportAddress: TokenBucket] = [:]
  /// Addresses that joined in the period before, and not since.
  private var old: [TransportAddress: TokenBucket] = [:]
  private var changed: Instant?

  package init(perSecond: Double, burst: Int, capacity: Int) {
    self.perSecond = perSecond
    self.burst = burst
    self.capacity = capacity
  }

  /// Number of addresses in the tables.
  package var count: Int { young.count + old.count }

  /// Returns false if this address exceeds the limit. Ports are ignored, and so are the last 64 bits of an IPv6 address.
  package mutating func allows(_ client: TransportAddress, now: Instant) -> Bool {
    changeTables(now)
    let address = TransportAddress(high: client.high, low: client.isIPv4 ? client.low : 0, port: 0)
    var bucket: TokenBucket
    if let known = young[address] ?? old.removeValue(forKey: address) {
      bucket = known
    } else {
      // A full table is an attack from many addresses: new ones are rejected until the next rotation.
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
