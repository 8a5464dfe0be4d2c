/// The NAL units of an H.264 byte stream (ITU-T H.264 Annex B), as ranges without their start codes. A sequence.
public struct AnnexB: Sequence {
  private let bytes: UnsafeRawBufferPointer

  /// Creates a sequence that reads in place: `bytes` must outlive it.
  public init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  public func makeIterator() -> Iterator { Iterator(bytes) }

  /// Iterates over the NAL units; skips empty units.
  public struct Iterator: IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    /// The offset at which the next unit starts; nil at the end.
    private var start: Int?

    init(_ bytes: UnsafeRawBufferPointer) {
      self.bytes = bytes
      start = Self.startCode(in: bytes, from: 0).map { $0 + 3 }
    }

    public mutating func next() -> Range<Int>? {
      while let begin = start {
        let following = Self.startCode(in: bytes, from: begin)
        start = following.map { $0 + 3 }
        var end = following ?? bytes.count
        // Zeros before a start code belong to it, or are trailing_zero_8bits.
        while end > begin, bytes[end - 1] == 0 { end -= 1 }
        if end > begin { return begin..<end }
      }
      return nil
    }

    /// Returns the offset of the next 00 00 01.
    private static func startCode(in bytes: UnsafeRawBufferPointer, from offset: Int) -> Int? {
      guard let base = bytes.baseAddress else { return nil }
      var position = offset
      while position + 3 <= bytes.count {
        let third = base.load8(position + 2)
        if third > 1 {
          position += 3
        } else if third == 1, base.load16(position) == 0 {
          return position
        } else {
          position += 1
        }
      }
      return nil
    }
  }

  /// Returns whether the access unit contains an IDR slice.
  public static func isKeyFrame(_ accessUnit: [UInt8]) -> Bool {
    accessUnit.withUnsafeBytes { bytes in
      AnnexB(bytes).contains { bytes[$0.lowerBound] & 0x1f == H264.idrSlice }
    }
  }
}
