/// The slot of a key in a Redis Cluster: CRC-16 (XMODEM) of its hash tag, which is what the first `{…}` of the key encloses.
struct KeySlot: Sendable, Hashable, CustomStringConvertible {
  /// 0 to 16383.
  let number: UInt16

  init(tag: String) {
    var crc: UInt16 = 0
    for byte in tag.utf8 {
      crc ^= UInt16(byte) << 8
      for _ in 0..<8 { crc = crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021 }
    }
    number = crc % 16_384
  }

  var description: String { "slot \(number)" }
}
