/// Parsing of AV1 without decoding: its payloads (RTP Payload Format for AV1 §4.4) and OBU headers.
public enum AV1 {
  static let sequenceHeader: UInt8 = 1
  static let temporalDelimiter: UInt8 = 2
  static let frameHeader: UInt8 = 3
  static let frame: UInt8 = 6
  static let tileList: UInt8 = 8
  static let padding: UInt8 = 15

  /// Returns whether `payload` starts a coded video sequence: N is set, and Z (a continued OBU) is not.
  public static func startsKeyFrame(_ payload: UnsafeRawBufferPointer) -> Bool {
    guard let base = payload.baseAddress, payload.count >= 2 else { return false }
    return base.load8(0) & 0x88 == 0x08
  }

  /// Reads an unsigned number of seven bits per byte, lowest first (LEB128, AV1 §4.10.5), and its length in bytes. Returns nil
  /// if it has no end or more than 32 bits.
  static func number(in bytes: UnsafeRawBufferPointer, at offset: Int) -> (value: Int, length: Int)? {
    var value: UInt64 = 0
    for index in 0..<8 {
      guard offset + index < bytes.count else { return nil }
      let byte = bytes[offset + index]
      value |= UInt64(byte & 0x7f) << (7 * UInt64(index))
      guard byte & 0x80 != 0 else { return value <= UInt32.max ? (Int(value), index + 1) : nil }
    }
    return nil
  }

  /// Appends a number in the same encoding.
  static func append(_ number: Int, to data: inout [UInt8]) {
    var rest = UInt32(truncatingIfNeeded: number)
    while rest > 0x7f {
      data.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    data.append(UInt8(truncatingIfNeeded: rest))
  }
}
