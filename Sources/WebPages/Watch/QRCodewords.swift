import RoomServer

/// The codewords of a QR code: the data and its Reed-Solomon correction, in the order in which they are drawn
/// (ISO/IEC 18004 §7.4 to §7.6).
enum QRCodewords {
  /// Of level M, by version from 1: the correction of a block in codewords, and the number of blocks.
  private static let versions: [(correction: Int, blocks: Int)] = [
    (10, 1), (16, 1), (26, 1), (18, 2), (24, 2), (16, 4), (18, 4), (22, 4), (22, 5), (26, 5), (30, 5), (22, 8), (22, 9),
    (24, 9),
    (24, 10), (28, 10), (28, 11), (26, 13), (26, 14), (26, 16),
  ]

  /// Encodes bytes in the smallest version that has space for them; nil if none has.
  static func encode(_ bytes: [UInt8]) -> (version: Int, codewords: [UInt8])? {
    guard let version = (1...versions.count).first(where: { bytes.count + ($0 < 10 ? 2 : 3) <= space(in: $0) }) else {
      return nil
    }
    var data = data(of: bytes, version: version)[...]
    let (correction, count) = versions[version - 1]
    let short = data.count / count
    let longer = data.count % count
    // The last blocks are one longer.
    let blocks = (0..<count).map { index in
      let block = Array(data.prefix(short + (index >= count - longer ? 1 : 0)))
      data = data.dropFirst(block.count)
      return block
    }
    let divisor = divisor(degree: correction)
    let repairs = blocks.map { remainder(of: $0, by: divisor) }
    let mixed = (0...short).flatMap { at in blocks.compactMap { at < $0.count ? $0[at] : nil } }
    return (version, mixed + (0..<correction).flatMap { at in repairs.map { $0[at] } })
  }

  /// The codewords of data in a version.
  private static func space(in version: Int) -> Int {
    let (correction, blocks) = versions[version - 1]
    var modules = (16 * version + 128) * version + 64
    if version > 1 {
      let marks = version / 7 + 2
      modules -= (25 * marks - 10) * marks - 55
      if version > 6 { modules -= 36 }
    }
    return modules / 8 - correction * blocks
  }

  /// The mode, the length, the bytes and the padding.
  private static func data(of bytes: [UInt8], version: Int) -> [UInt8] {
    let space = space(in: version)
    var bits: [UInt8] = []
    func add(_ value: Int, _ count: Int) {
      for bit in (0..<count).reversed() { bits.append(UInt8(value >> bit & 1)) }
    }
    add(4, 4)
    add(bytes.count, version < 10 ? 8 : 16)
    for byte in bytes { add(Int(byte), 8) }
    add(0, min(4, space * 8 - bits.count))
    add(0, (8 - bits.count % 8) % 8)
    var data = stride(from: 0, to: bits.count, by: 8).map { at in bits[at..<at + 8].reduce(0 as UInt8) { $0 << 1 | $1 } }
    var padding: UInt8 = 0xec
    while data.count < space {
      data.append(padding)
      padding ^= 0xec ^ 0x11
    }
    return data
  }

  // MARK: Reed-Solomon

  private static func multiply(_ one: UInt8, _ other: UInt8) -> UInt8 {
    (0..<8).reversed().reduce(0 as UInt8) { product, bit in
      let doubled = product << 1 ^ (product >> 7) &* 0x1d
      return other >> UInt8(bit) & 1 == 1 ? doubled ^ one : doubled
    }
  }

  /// The generator of a degree, without its first coefficient, which is 1.
  private static func divisor(degree: Int) -> [UInt8] {
    var divisor = [UInt8](repeating: 0, count: degree - 1) + [1]
    var root: UInt8 = 1
    for _ in 0..<degree {
      for at in 0..<degree { divisor[at] = multiply(divisor[at], root) ^ (at + 1 < degree ? divisor[at + 1] : 0) }
      root = multiply(root, 2)
    }
    return divisor
  }

  private static func remainder(of data: [UInt8], by divisor: [UInt8]) -> [UInt8] {
    var rest = [UInt8](repeating: 0, count: divisor.count)
    for byte in data {
      let factor = byte ^ rest.removeFirst()
      rest.append(0)
      for at in rest.indices { rest[at] ^= multiply(divisor[at], factor) }
    }
    return rest
  }
}
