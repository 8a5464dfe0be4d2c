/// CRC32c, the checksum of SCTP packets (RFC 9260 Appendix A): eight bytes a step, by tables.
enum CRC32C {
  /// Table n advances a byte that n bytes follow.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ 0x82F6_3B78 }
      tables[byte] = value
    }
    for index in 256..<tables.count {
      let previous = tables[index - 256]
      tables[index] = previous >> 8 ^ tables[Int(previous & 0xFF)]
    }
    return tables
  }()

  /// Returns the checksum of a packet whose checksum field, the bytes 8 to 11, counts as zero. The packet has at least 12 bytes.
  static func checksum(ofPacket bytes: UnsafeRawBufferPointer) -> UInt32 {
    tables.withUnsafeBufferPointer { tables in
      var state = UInt32.max
      update(&state, UnsafeRawBufferPointer(rebasing: bytes[..<8]), tables)
      for _ in 0..<4 { state = state >> 8 ^ tables[Int(state & 0xFF)] }
      update(&state, UnsafeRawBufferPointer(rebasing: bytes[12...]), tables)
      return ~state
    }
  }

  private static func update(
    _ state: inout UInt32, _ bytes: UnsafeRawBufferPointer, _ tables: UnsafeBufferPointer<UInt32>
  ) {
    var offset = 0
    var value = state
    while offset &+ 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ UInt64(value)
      value =
        tables[1792 &+ Int(word & 0xFF)] ^ tables[1536 &+ Int(word >> 8 & 0xFF)]
        ^ tables[1280 &+ Int(word >> 16 & 0xFF)] ^ tables[1024 &+ Int(word >> 24 & 0xFF)]
      value =
        value ^ tables[768 &+ Int(word >> 32 & 0xFF)] ^ tables[512 &+ Int(word >> 40 & 0xFF)]
        ^ tables[256 &+ Int(word >> 48 & 0xFF)] ^ tables[Int(word >> 56)]
      offset &+= 8
    }
    while offset < bytes.count {
      value = value >> 8 ^ tables[Int((value ^ UInt32(bytes[offset])) & 0xFF)]
      offset &+= 1
    }
    state = value
  }
}
