/// The bitrate at which packets arrive, from complete slots of 50 ms.
struct DeliveryRate: Sendable {
  static let slotLength: Int64 = 50_000
  private static let slots: Int64 = 16
  /// The slots of the usual rate: half a second.
  private static let window = 10
  /// The slots of the rate while a queue stands: the bottleneck then sends without a pause, so a short window is exact.
  private static let shortWindow = 4

  private var bytes = SIMD16<Int32>()
  private var newest: Int64?
  private var first: Int64 = 0

  mutating func add(bytes count: Int, at arrival: Instant) {
    let slot = arrival.microseconds / Self.slotLength
    guard let last = newest, slot > last - Self.slots else {
      bytes = SIMD16()
      newest = slot
      first = slot
      bytes[Self.index(slot)] = Int32(truncatingIfNeeded: count)
      return
    }
    if slot > last {
      for passed in max(last + 1, slot - Self.slots + 1)...slot { bytes[Self.index(passed)] = 0 }
      newest = slot
    }
    bytes[Self.index(slot)] &+= Int32(truncatingIfNeeded: count)
  }

  /// The bitrate over the last half second; nil before a quarter of a second of arrivals.
  var bitsPerSecond: Double? { rate(slots: Self.window) }

  /// The bitrate over the last 200 ms: the capacity of the path if a queue stands.
  var capacity: Double? { rate(slots: Self.shortWindow) }

  private func rate(slots: Int) -> Double? {
    guard let newest else { return nil }
    // The newest slot is incomplete.
    let seen = min(Int(newest - first), slots)
    guard seen >= Self.shortWindow else { return nil }
    var sum = 0
    for back in 1...seen { sum += Int(bytes[Self.index(newest - Int64(back))]) }
    return Double(sum * 8) * 1_000_000 / Double(Int64(seen) * Self.slotLength)
  }

  private static func index(_ slot: Int64) -> Int { Int(slot & (slots - 1)) }
}
