import RoomRTP

/// The delays of packets over the shortest one of their stream, in steps of a millisecond.
///
/// The time between two pictures of the publisher is that of their timestamps, so what a packet takes longer than the fastest one
/// is a delay of the server or of the bots.
struct PacketDelays: Sendable, Equatable {
  /// The last count is that of all longer delays.
  static let limit = 512

  private(set) var counts: [Int] = []

  mutating func add(_ microseconds: Int64) {
    if counts.isEmpty { counts = [Int](repeating: 0, count: Self.limit) }
    counts[Int(min(max(0, microseconds / 1000), Int64(Self.limit - 1)))] += 1
  }

  static func += (left: inout PacketDelays, right: PacketDelays) {
    guard !right.counts.isEmpty else { return }
    guard !left.counts.isEmpty else { return left = right }
    for (index, count) in right.counts.enumerated() { left.counts[index] += count }
  }

  /// The delays since an earlier state.
  static func - (left: PacketDelays, right: PacketDelays) -> PacketDelays {
    var difference = left
    for (index, count) in right.counts.enumerated() where index < difference.counts.count { difference.counts[index] -= count }
    return difference
  }

  /// The delay that a part of the packets does not exceed, in whole milliseconds, rounded down; 0 without packets.
  func quantile(_ part: Double) -> Int {
    var left = Double(counts.reduce(0, +)) * part
    for (index, count) in counts.enumerated() {
      left -= Double(count)
      if left <= 0 { return index }
    }
    return 0
  }
}

/// The transit times of one stream's packets, by their timestamps.
struct StreamTransit: Sendable {
  private var first: (timestamp: UInt32, arrival: Instant)?
  private var shortest: Int64 = 0

  /// Returns how much longer than the fastest packet so far one took, in microseconds.
  mutating func delay(_ timestamp: UInt32, clockRate: UInt32, arrival: Instant) -> Int64 {
    guard let first else {
      first = (timestamp, arrival)
      return 0
    }
    let ticks = Int64(Int32(bitPattern: timestamp &- first.timestamp))
    let transit = (arrival - first.arrival) - ticks * 1_000_000 / Int64(max(1, clockRate))
    shortest = min(shortest, transit)
    return transit - shortest
  }
}
