import RoomRTP

/// The sealed datagrams sent last, by number, in memory of fixed size.
struct DatagramRing: ~Copyable {
  struct Entry {
    /// 0 if the slot is empty.
    var number: UInt64 = 0
    var length = 0
    var sealedAt = Instant(microseconds: 0)
    var sentAt = Instant(microseconds: 0)
    /// Whether it has records that may not wait.
    var isUrgent = false
    /// Whether it has no records.
    var isPadding = false
    var resentAt: Instant?
    /// Whether it was sent again twice since a round trip.
    var isRepeated = false
    /// Whether it waits to be sent again.
    var isQueued = false
  }

  let capacity: Int
  private let entries: UnsafeMutablePointer<Entry>
  private let memory: UnsafeMutableRawPointer

  /// - Parameter capacity: a power of two.
  init(capacity: Int) {
    self.capacity = capacity
    entries = .allocate(capacity: capacity)
    entries.initialize(repeating: Entry(), count: capacity)
    memory = .allocate(byteCount: capacity * LinkDatagram.longest, alignment: 64)
  }

  deinit {
    entries.deallocate()
    memory.deallocate()
  }

  private func slot(_ number: UInt64) -> Int { Int(truncatingIfNeeded: number & UInt64(capacity - 1)) }

  /// Returns the entry of a datagram; nil if the ring does not have it any more.
  func entry(_ number: UInt64) -> UnsafeMutablePointer<Entry>? {
    let entry = entries + slot(number)
    return number != 0 && entry.pointee.number == number ? entry : nil
  }

  /// Returns the memory of a datagram, `LinkDatagram.longest` bytes.
  func bytes(_ number: UInt64) -> UnsafeMutableRawPointer { memory + slot(number) * LinkDatagram.longest }

  /// Records the datagram that was written to its memory, in place of the one `capacity` numbers earlier.
  func store(_ number: UInt64, length: Int, isUrgent: Bool, isPadding: Bool, now: Instant) {
    entries[slot(number)] = Entry(
      number: number, length: length, sealedAt: now, isUrgent: isUrgent, isPadding: isPadding)
  }
}
