import RoomRTP

/// The delays of packets over the shortest one of their stream, in steps of 0.1 ms up to 20 ms, then of 1 ms.
///
/// The time between two pictures of the publisher is that of their timestamps, so what a packet takes longer than the fastest one
/// is a delay of the server or of the bots.
struct PacketDelays: Sendable, Equatable {
  /// The steps of 0.1 ms, and all: the last count is that of all longer delays.
  private static let fine = 200, limit = 692

  private(set) var counts: [Int] = []

  mutating func add(_ microseconds: Int64) {
    if counts.isEmpty { counts = [Int](repeating: 0, count: Self.limit) }
    let step = microseconds < Int64(Self.fine) * 100 ? microseconds / 100 : microseconds / 1000 + Int64(Self.fine) * 9 / 10
    counts[Int(min(max(0, step), Int64(Self.limit - 1)))] += 1
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

  /// The delay in milliseconds that a part of the packets does not exceed, rounded down to a step; 0 without packets.
  func quantile(_ part: Double) -> Double {
    var left = Double(counts.reduce(0, +)) * part
    for (index, count) in counts.enumerated() {
      left -= Double(count)
      if left <= 0 { return index < Self.fine ? Double(index) / 10 : Double(index - Self.fine * 9 / 10) }
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
