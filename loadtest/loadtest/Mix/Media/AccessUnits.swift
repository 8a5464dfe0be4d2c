/// Splits H.264 in Annex B form at its access unit delimiters (ITU-T H.264 §7.3.2.4, B.1.1).
enum AccessUnits {
  /// Returns the access units without their delimiters.
  static func pictures(of stream: [UInt8]) -> [MixClip.Picture] {
    var pictures: [MixClip.Picture] = []
    var unit = MixClip.Picture(data: [], isKeyFrame: false)
    var hasSlice = false
    for range in NALUnits(stream) {
      let type = stream[range.lowerBound] & 0x1F
      guard type != 9 else {
        // ffmpeg puts parameter sets before the first delimiter.
        guard hasSlice else { continue }
        pictures.append(unit)
        unit = MixClip.Picture(data: [], isKeyFrame: false)
        hasSlice = false
        continue
      }
      unit.data += [0, 0, 0, 1] + stream[range]
      if type == 5 { unit.isKeyFrame = true }
      if type == 1 || type == 5 { hasSlice = true }
    }
    return hasSlice ? pictures + [unit] : pictures
  }

  /// The ranges of the NAL units, without their start codes.
  private struct NALUnits: Sequence, IteratorProtocol {
    private let stream: [UInt8]
    private var code: Int?

    init(_ stream: [UInt8]) {
      self.stream = stream
      code = Self.startCode(in: stream, from: 0)
    }

    mutating func next() -> Range<Int>? {
      guard let start = code.map({ $0 + 3 }), start < stream.count else { return nil }
      code = Self.startCode(in: stream, from: start)
      var end = code ?? stream.count
      // Zeros before a start code are part of it.
      while end > start + 1, stream[end - 1] == 0 { end -= 1 }
      return start..<end
    }

    private static func startCode(in stream: [UInt8], from position: Int) -> Int? {
      guard position + 3 <= stream.count else { return nil }
      return (position...stream.count - 3).first { stream[$0] == 0 && stream[$0 + 1] == 0 && stream[$0 + 2] == 1 }
    }
  }
}
