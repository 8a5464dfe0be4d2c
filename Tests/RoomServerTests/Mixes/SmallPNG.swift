/// A black PNG file of one bit per pixel, made without FFmpeg or zlib: its content is stored, not compressed.
enum SmallPNG {
  /// - Parameter hasPicture: false makes a file that declares a size and has no pixels.
  static func file(width: Int, height: Int, hasPicture: Bool = true) -> [UInt8] {
    let rows = hasPicture ? [UInt8](repeating: 0, count: height * (1 + (width + 7) / 8)) : [0]
    return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
      + chunk("IHDR", word(width) + word(height) + [1, 0, 0, 0, 0]) + chunk("IDAT", stored(rows)) + chunk("IEND", [])
  }

  private static func word(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    let sum = body.reduce(~UInt32(0)) { sum, byte in sum >> 8 ^ table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] }
    return word(data.count) + body + word(Int(~sum))
  }

  /// The table of CRC-32 (ISO 3309).
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xedb8_8320 : 0) }
  }

  /// Returns an RFC 1950 stream with stored blocks of RFC 1951.
  private static func stored(_ zeros: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x78, 0x01]
    var left = zeros.count
    repeat {
      let count = min(65_535, left)
      left -= count
      let (low, high) = (UInt8(count & 255), UInt8(count >> 8))
      result += [left == 0 ? 1 : 0, low, high, ~low, ~high] + [UInt8](repeating: 0, count: count)
    } while left > 0
    // The Adler-32 checksum of zeros.
    return result + word((zeros.count % 65_521) << 16 | 1)
  }
}
