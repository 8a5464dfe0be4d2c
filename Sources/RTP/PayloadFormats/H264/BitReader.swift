/// Reads bits, most significant first (ITU-T H.264 §7.2, §9.1). Allocates nothing. The bytes must outlive it.
package struct BitReader {
  private let bytes: UnsafeRawBufferPointer
  private let skipsEmulationPrevention: Bool
  private var index = 0
  /// Bits of the current byte that are not read yet, 1…8.
  private var bitsLeft = 8
  /// Consecutive zero bytes before the current byte.
  private var zeros = 0

  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    skipsEmulationPrevention = false
  }

  /// Omits each 3 that follows two zeros (§7.4.1.1).
  package init(withoutEmulationPrevention bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    skipsEmulationPrevention = true
  }

  /// Reads up to 32 bits. Returns nil if fewer than `count` are left.
  package mutating func read(_ count: Int) -> UInt32? {
    var value: UInt32 = 0
    for _ in 0..<count {
      guard let bit = readBit() else { return nil }
      value = value << 1 | bit
    }
    return value
  }

  private mutating func readBit() -> UInt32? {
    if bitsLeft == 8, skipsEmulationPrevention, zeros >= 2, index < bytes.count, bytes[index] == 3 {
      zeros = 0
      index += 1
    }
    guard index < bytes.count else { return nil }
    bitsLeft -= 1
    let bit = UInt32(bytes[index] >> UInt8(bitsLeft) & 1)
    if bitsLeft == 0 {
      zeros = bytes[index] == 0 ? zeros + 1 : 0
      index += 1
      bitsLeft = 8
    }
    return bit
  }

  /// Reads ue(v).
  package mutating func unsigned() -> UInt32? {
    var zeros = 0
    while let bit = read(1) {
      if bit == 1 { return read(zeros).map { UInt32(truncatingIfNeeded: UInt64($0) + (UInt64(1) << zeros) - 1) } }
      zeros += 1
      if zeros > 31 { return nil }
    }
    return nil
  }

  /// Reads se(v).
  package mutating func signed() -> Int64? {
    guard let code = unsigned() else { return nil }
    let half = (Int64(code) + 1) / 2
    return code & 1 == 1 ? half : -half
  }
}
