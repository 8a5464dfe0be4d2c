/// The NAL unit types of H.264 that its payload format uses (RFC 6184 §5.2), and key frame detection.
public enum H264 {
  static let slice: UInt8 = 1
  static let idrSlice: UInt8 = 5
  static let sequenceParameters: UInt8 = 7
  static let pictureParameters: UInt8 = 8
  static let accessUnitDelimiter: UInt8 = 9
  static let endOfSequence: UInt8 = 10
  static let endOfStream: UInt8 = 11
  static let filler: UInt8 = 12
  static let aggregation: UInt8 = 24
  static let fragment: UInt8 = 28

  /// Returns whether `payload` contains an SPS or the first part of an IDR slice: alone, in a STAP-A, or at the start of an
  /// FU-A.
  public static func startsKeyFrame(_ payload: UnsafeRawBufferPointer) -> Bool {
    contains(payload) { $0 == idrSlice || $0 == sequenceParameters }
  }

  /// Returns whether `payload` contains an SPS.
  public static func hasSequenceParameters(_ payload: UnsafeRawBufferPointer) -> Bool {
    contains(payload) { $0 == sequenceParameters }
  }

  /// Returns the width and height in pixels that an SPS in `payload` announces, alone or in a STAP-A; nil if there is none.
  /// Allocates nothing.
  public static func pictureSize(_ payload: UnsafeRawBufferPointer) -> (width: Int, height: Int)? {
    guard let base = payload.baseAddress, payload.count >= 2 else { return nil }
    guard base.load8(0) & 0x1f == aggregation else {
      return SequenceParameters(parsing: payload).map { ($0.width, $0.height) }
    }
    var position = 1
    while position + 3 <= payload.count {
      let size = Int(base.load16(position))
      guard size > 0, position + 2 + size <= payload.count else { return nil }
      let unit = UnsafeRawBufferPointer(start: base + position + 2, count: size)
      if let found = SequenceParameters(parsing: unit) { return (found.width, found.height) }
      position += 2 + size
    }
    return nil
  }

  /// Returns whether a NAL unit that starts in `payload` has a matching type.
  @inline(__always)
  private static func contains(_ payload: UnsafeRawBufferPointer, _ wanted: (UInt8) -> Bool) -> Bool {
    guard let base = payload.baseAddress, payload.count >= 2 else { return false }
    let type = base.load8(0) & 0x1f
    switch type {
    case aggregation:
      var position = 1
      while position + 3 <= payload.count {
        let size = Int(base.load16(position))
        guard size > 0, position + 2 + size <= payload.count else { return false }
        if wanted(base.load8(position + 2) & 0x1f) { return true }
        position += 2 + size
      }
      return false
    case fragment:
      let header = base.load8(1)
      return header & 0x80 != 0 && wanted(header & 0x1f)
    default:
      return wanted(type)
    }
  }
}
