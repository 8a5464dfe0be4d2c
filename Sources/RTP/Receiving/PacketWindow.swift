/// A packet that waits for its turn.
struct WaitingPacket: Sendable {
  var timestamp: UInt32
  var marker: Bool
  /// Empty where the packet was only padding: it fills its place in the sequence, and nothing more.
  var payload: [UInt8]
  var arrival: Instant
}

/// Packets by unwrapped sequence number, in a ring: those from `next` on.
struct PacketWindow: Sendable {
  private var slots: [WaitingPacket?]
  private let mask: Int64
  /// The first packet that is still wanted.
  private(set) var next: Int64
  /// The highest packet that came.
  private(set) var highest: Int64

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

  /// Whether the place of `sequence` is in the ring as it lies now.
  func holds(_ sequence: Int64) -> Bool { sequence >= next && sequence < next + capacity }

  /// Puts a packet at its place; false where one is there already, or it has no place.
  mutating func insert(_ packet: WaitingPacket, at sequence: Int64) -> Bool {
    guard holds(sequence), self[sequence] == nil else { return false }
    slots[Int(sequence & mask)] = packet
    highest = max(highest, sequence)
    return true
  }

  /// Forgets everything before `sequence`; gives how many of those had not come.
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

  /// Makes room before the first packet, for one that came after it out of order. False where the ring would be too small.
  mutating func extend(backTo sequence: Int64) -> Bool {
    guard sequence < next, highest - sequence < capacity else { return false }
    next = sequence
    return true
  }

  /// The first packet that came from `sequence` on.
  func firstPresent(from sequence: Int64) -> Int64? {
    var current = max(sequence, next)
    while current <= highest {
      if slots[Int(current & mask)] != nil { return current }
      current += 1
    }
    return nil
  }

  /// When it was noticed that `sequence` is missing: the earliest arrival among the few packets after it; nil where there is none.
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
