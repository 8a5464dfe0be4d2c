public import RoomRTP

/// A record in a datagram.
extension LinkRecord {
  /// The longest payload in bytes: the longest that a packet ring stores, with its dependency descriptor.
  public static let payloadLimit = 1500

  static let shortestHead = 20
  static let longestHead = 32
  /// Flags above the 11 bits of the length.
  private static let hasTime: UInt16 = 0x8000
  private static let hasAge: UInt16 = 0x4000
  /// Of padding: what follows in the datagram is no record.
  private static let isPadding: UInt16 = 0x2000
  private static let unused: UInt16 = 0x3800
  private static let lengthMask: UInt16 = 0x07FF
  private static let oldest: Int64 = 3_600_000_000

  /// The number of bytes of the head.
  var headBytes: Int { Self.shortestHead + (time != 0 ? 8 : 0) + (arrival != nil ? 4 : 0) }

  /// Writes head and payload, and returns their length. The target has room for them.
  func write(to target: UnsafeMutableRawPointer, _ payload: UnsafeRawBufferPointer, now: Instant) -> Int {
    target.store32(stream, 0)
    target.store8(kind, 4)
    target.store8(format, 5)
    target.store16(
      UInt16(truncatingIfNeeded: payload.count) | (time != 0 ? Self.hasTime : 0) | (arrival != nil ? Self.hasAge : 0), 6)
    target.store64(UInt64(bitPattern: sequence), 8)
    target.store32(timestamp, 16)
    var offset = Self.shortestHead
    if time != 0 {
      target.store64(time, offset)
      offset += 8
    }
    if let arrival {
      target.store32(UInt32(truncatingIfNeeded: min(max(0, now - arrival), Self.oldest)), offset)
      offset += 4
    }
    if let base = payload.baseAddress { (target + offset).copyMemory(from: base, byteCount: payload.count) }
    return offset + payload.count
  }

  /// Whether the rest of a datagram is padding, which the link sends to find out what the path carries.
  static func isPadding(_ rest: UnsafeRawBufferPointer) -> Bool {
    guard rest.count >= shortestHead, let base = rest.baseAddress else { return false }
    return base.load16(6) == isPadding
  }

  /// Writes the head of padding.
  static func writePadding(to target: UnsafeMutableRawPointer) {
    target.initializeMemory(as: UInt8.self, repeating: 0, count: shortestHead)
    target.store16(isPadding, 6)
  }

  /// Reads the record at the start of some bytes. Returns nil if they don't begin with a complete one.
  static func read(
    _ bytes: UnsafeRawBufferPointer, now: Instant
  ) -> (record: LinkRecord, payload: UnsafeRawBufferPointer, count: Int)? {
    guard bytes.count >= shortestHead, let base = bytes.baseAddress else { return nil }
    let flags = base.load16(6)
    var offset = shortestHead
    let end = offset + (flags & hasTime != 0 ? 8 : 0) + (flags & hasAge != 0 ? 4 : 0)
    let length = Int(flags & lengthMask)
    guard flags & unused == 0, length <= payloadLimit, end + length <= bytes.count else { return nil }
    var record = LinkRecord(
      stream: base.load32(0), kind: base.load8(4), format: base.load8(5), sequence: Int64(bitPattern: base.load64(8)),
      timestamp: base.load32(16))
    if flags & hasTime != 0 {
      record.time = base.load64(offset)
      offset += 8
    }
    if flags & hasAge != 0 {
      record.arrival = now.advanced(microseconds: -Int64(base.load32(offset)))
      offset += 4
    }
    return (record, UnsafeRawBufferPointer(start: base + offset, count: length), offset + length)
  }
}
