/// Writes PNG files without FFmpeg or zlib: the data is stored, not compressed.
struct PNGWriter {
  enum Colour: UInt8 { case grey = 0, rgb = 2, rgba = 6 }
  var width: Int
  var height: Int
  var colour: Colour
  var depth: UInt8 = 8
  /// Rows of pixels, packed as in the specification.
  var rows: [[UInt8]]

  var file: [UInt8] {
    var bytes: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    bytes += Self.chunk("IHDR", Self.word(width) + Self.word(height) + [depth, colour.rawValue, 0, 0, 0])
    bytes += Self.chunk("IDAT", Self.stored(rows.flatMap { [0] + $0 }))
    return bytes + Self.chunk("IEND", [])
  }

  static func word(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    return word(data.count) + body + word(Int(checksum(body)))
  }

  /// CRC-32 of ISO 3309.
  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum = ~UInt32(0)
    for byte in bytes { sum = sum >> 8 ^ checksums[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] }
    return ~sum
  }

  private static let checksums: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xedb8_8320 : 0) }
  }

  /// RFC 1950 with stored blocks of RFC 1951.
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x78, 0x01]
    var place = 0
    repeat {
      let count = min(65_535, bytes.count - place)
      let low = UInt8(count & 255)
      let high = UInt8(count >> 8)
      result += [place + count == bytes.count ? 1 : 0, low, high, ~low, ~high] + bytes[place..<place + count]
      place += count
    } while place < bytes.count
    var (a, b) = (1, 0)
    for byte in bytes {
      a = (a + Int(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return result + word(b << 16 | a)
  }
}
