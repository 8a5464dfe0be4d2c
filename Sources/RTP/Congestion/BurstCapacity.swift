/// The capacity of the path as bursts of packets show it: packets that are sent faster than the bottleneck leave it one after
/// the other, at its rate.
///
/// The value is only a hint: a radio link that sends several packets at once looks faster than it is.
struct BurstCapacity: Sendable {
  private static let longestGap: Int64 = 20_000
  private static let halfLife: Int64 = 500_000

  private var lastSent: Instant?
  private var lastArrival = Instant(microseconds: 0)
  private var bits = 0.0
  private var sentIn = 0.0
  private var arrivedIn = 0.0
  private var halved: Instant?

  /// Adds a packet that arrived. `target` in bits per second tells bursts from evenly sent packets.
  mutating func add(bytes: Int, sent: Instant, arrival: Instant, target: Double) {
    defer {
      lastSent = sent
      lastArrival = arrival
    }
    guard let before = lastSent else { return }
    let gap = sent - before
    guard gap >= 0, gap < Self.longestGap, Double(gap) * target < Double(bytes) * 8_000_000 / 1.5 else { return }
    if halved.map({ sent - $0 >= Self.halfLife }) ?? true {
      halved = sent
      bits /= 2
      sentIn /= 2
      arrivedIn /= 2
    }
    bits += Double(bytes) * 8
    sentIn += Double(gap)
    arrivedIn += Double(max(0, arrival - lastArrival))
  }

  /// The capacity in bits per second that recent bursts prove; nil without enough bursts.
  var bitsPerSecond: Double? {
    guard bits >= 80_000 else { return nil }
    return bits * 1_000_000 / max(sentIn, arrivedIn, 1)
  }

  mutating func clear() {
    bits = 0
    sentIn = 0
    arrivedIn = 0
  }
}
