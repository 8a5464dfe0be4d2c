/// Reads bits, most significant first, and whole bytes that begin at any bit, never beyond the end.
struct BitCursor {
  private let bytes: ArraySlice<UInt8>
  /// The number of bits that are read.
  private(set) var position = 0

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// The number of bits that are left.
  var left: Int { bytes.count * 8 - position }

  /// Reads up to 32 bits. Returns nil if fewer are left.
  mutating func read(_ count: Int) -> Int? {
    guard count >= 0, count <= 32, count <= left else { return nil }
    var value = 0
    for _ in 0..<count {
      let byte = bytes[bytes.startIndex + position >> 3]
      value = value << 1 | Int(byte >> UInt8(7 - position & 7) & 1)
      position += 1
    }
    return value
  }

  /// Skips bits. Returns false if fewer are left.
  mutating func skip(_ count: Int) -> Bool {
    guard count >= 0, count <= left else { return false }
    position += count
    return true
  }

  /// Reads bits as bytes; the last byte is padded with zeros. Returns nil if fewer are left.
  mutating func copy(bits count: Int) -> [UInt8]? {
    guard count >= 0, count <= left else { return nil }
    let (shift, first) = (UInt8(position & 7), bytes.startIndex + position >> 3)
    position += count
    var copy: [UInt8] = []
    copy.reserveCapacity((count + 7) / 8)
    for index in first..<(first + (count + 7) / 8) {
      let next = shift > 0 && index + 1 < bytes.endIndex ? bytes[index + 1] >> (8 - shift) : 0
      copy.append(bytes[index] << shift | next)
    }
    if count & 7 != 0, let last = copy.popLast() { copy.append(last & (0xff << UInt8(8 - count & 7))) }
    return copy
  }
}
