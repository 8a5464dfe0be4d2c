import RoomRTP

/// Records of video that wait until the path carries them, in memory of fixed size.
final class WaitingRecords {
  private struct Head {
    var record: LinkRecord
    var at: Instant
    /// Negative: the rest of the memory is unused, and the next record is at its start.
    var length: Int
  }

  static let capacity = 1 << 20
  private static let headBytes = MemoryLayout<Head>.stride

  private let base = UnsafeMutableRawPointer.allocate(byteCount: WaitingRecords.capacity, alignment: 64)
  private var written = 0
  private var taken = 0
  private(set) var count = 0

  deinit { base.deallocate() }

  /// The bytes of the records, heads included.
  var bytes: Int { written - taken }

  /// Appends a record. Returns false if there is no room.
  func append(_ record: LinkRecord, _ payload: UnsafeRawBufferPointer, now: Instant) -> Bool {
    let size = (Self.headBytes + payload.count + 15) & ~15
    let rest = Self.capacity - written % Self.capacity
    let skipped = rest < size ? rest : 0
    guard bytes + skipped + size <= Self.capacity else { return false }
    if skipped >= Self.headBytes {
      (base + written % Self.capacity).storeBytes(of: Head(record: record, at: now, length: -1), as: Head.self)
    }
    written += skipped
    let place = base + written % Self.capacity
    place.storeBytes(of: Head(record: record, at: now, length: payload.count), as: Head.self)
    if let bytes = payload.baseAddress { (place + Self.headBytes).copyMemory(from: bytes, byteCount: payload.count) }
    written += size
    count += 1
    return true
  }

  /// Passes the oldest record to `body`, and removes it if that returns true. Returns what `body` did; false if there is none.
  func takeFirst(_ body: (LinkRecord, UnsafeRawBufferPointer, Instant) -> Bool) -> Bool {
    while taken < written {
      let rest = Self.capacity - taken % Self.capacity
      guard rest >= Self.headBytes else {
        taken += rest
        continue
      }
      let place = base + taken % Self.capacity
      let head = place.load(as: Head.self)
      guard head.length >= 0 else {
        taken += rest
        continue
      }
      guard body(head.record, UnsafeRawBufferPointer(start: place + Self.headBytes, count: head.length), head.at) else {
        return false
      }
      taken += (Self.headBytes + head.length + 15) & ~15
      count -= 1
      return true
    }
    return false
  }
}
