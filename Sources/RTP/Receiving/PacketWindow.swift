/// A packet that waits to be assembled.
struct WaitingPacket: Sendable {
  var timestamp: UInt32
  var marker: Bool
  /// The payload; empty if the packet was only padding, which merely fills its sequence number.
  var payload: [UInt8]
  var arrival: Instant
}

/// A ring of packets by unwrapped sequence number, starting at `next`.
struct PacketWindow: Sendable {
  private var slots: [WaitingPacket?]
  private let mask: Int64
  /// The first packet that is still needed.
  private(set) var next: Int64
  /// The highest packet that arrived.
  private(set) var highest: Int64

  /// Creates an empty window.
  /// - Parameter capacity: a power of two.
  init(capacity: Int, first: Int64) {
    slots = Array(repeating: nil, count: capacity)
    mask = Int64(capacity - 1)
    next = first
    highest = first - 1
  }

  var capacity: Int64 { mask + 1 }

  subscript(sequence: Int64) -> WaitingPacket? {
    guard sequence >= next, sequence <= highest else { return nil }
    return slots[Int(sequence & mask)]
  }

  /// Returns whether the current range of the ring includes `sequence`.
  func holds(_ sequence: Int64) -> Bool { sequence >= next && sequence < next + capacity }

  /// Stores a packet at its sequence number. Returns false if it is already present or outside the ring.
  mutating func insert(_ packet: WaitingPacket, at sequence: Int64) -> Bool {
    guard holds(sequence), self[sequence] == nil else { return false }
    slots[Int(sequence & mask)] = packet
    highest = max(highest, sequence)
    return true
  }

  /// Discards everything before `sequence`. Returns how many of those packets had not arrived.
  @discardableResult
  mutating func advance(to sequence: Int64) -> Int64 {
    guard sequence > next else { return 0 }
    var missing: Int64 = 0
    let end = min(sequence, highest + 1)
    while next < end {
      if slots[Int(next & mask)] == nil { missing += 1 }
      slots[Int(next & mask)] = nil
      next += 1
    }
    missing += sequence - next
    next = sequence
    highest = max(highest, sequence - 1)
    return missing
  }

  /// Extends the window backwards for a packet that arrived out of order. Returns false if the ring would be too small.
  mutating func extend(backTo sequence: Int64) -> Bool {
    guard sequence < next, highest - sequence < capacity else { return false }
    next = sequence
    return true
  }

  /// Returns the first packet that arrived, from `sequence` on.
  func firstPresent(from sequence: Int64) -> Int64? {
    var current = max(sequence, next)
    while current <= highest {
      if slots[Int(current & mask)] != nil { return current }
      current += 1
    }
    return nil
  }

  /// Returns when the loss of `sequence` was detected: the earliest arrival among the few packets after it; nil if there is
  /// none.
  func noticed(missing sequence: Int64) -> Instant? {
    guard var current = firstPresent(from: sequence + 1) else { return nil }
    var earliest: Instant?
    for _ in 0..<16 {
      if let packet = self[current] { earliest = min(earliest ?? packet.arrival, packet.arrival) }
      current += 1
    }
    return earliest
  }
}
