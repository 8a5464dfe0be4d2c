/// A packet status chunk (§3.1.3, §3.1.4): a run of one symbol, or a vector of 14 one-bit or 7 two-bit symbols.
/// Symbols: 0 not received, 1 a one-byte delta, 2 a two-byte delta.
struct StatusChunk {
  static let longestRun = 0x1fff

  var rawValue: UInt16

  init(_ rawValue: UInt16) { self.rawValue = rawValue }

  init(run count: Int, of symbol: UInt8) {
    rawValue = UInt16(symbol & 3) << 13 | UInt16(truncatingIfNeeded: min(count, Self.longestRun))
  }

  /// Creates a vector of the first 14 symbols, which are all 0 or 1.
  init(oneBit symbols: UnsafeBufferPointer<UInt8>) {
    rawValue = 0x8000
    for (index, symbol) in symbols.prefix(14).enumerated() where symbol == 1 { rawValue |= 1 << UInt16(13 - index) }
  }

  /// Creates a vector of the first 7 symbols.
  init(twoBit symbols: UnsafeBufferPointer<UInt8>) {
    rawValue = 0xc000
    for (index, symbol) in symbols.prefix(7).enumerated() { rawValue |= UInt16(symbol & 3) << UInt16(12 - 2 * index) }
  }

  var isRun: Bool { rawValue & 0x8000 == 0 }

  /// The number of statuses in the chunk.
  var count: Int {
    if isRun { return Int(rawValue & 0x1fff) }
    return rawValue & 0x4000 == 0 ? 14 : 7
  }

  func symbol(_ index: Int) -> UInt8 {
    if isRun { return UInt8(truncatingIfNeeded: rawValue >> 13 & 3) }
    if rawValue & 0x4000 == 0 { return UInt8(truncatingIfNeeded: rawValue >> UInt16(truncatingIfNeeded: 13 - index) & 1) }
    return UInt8(truncatingIfNeeded: rawValue >> UInt16(truncatingIfNeeded: 12 - 2 * index) & 3)
  }

  /// Returns the number of delta bytes of the first `count` statuses.
  func deltaBytes(_ count: Int) -> Int {
    if isRun {
      let symbol = symbol(0)
      return symbol == 1 ? count : symbol == 2 ? 2 * count : 0
    }
    var bytes = 0
    for index in 0..<count {
      let symbol = symbol(index)
      bytes += symbol == 1 ? 1 : symbol == 2 ? 2 : 0
    }
    return bytes
  }
}
