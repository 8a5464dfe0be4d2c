/// The format of a VP8 or VP9 stream, which a key frame states: no other configuration exists.
public struct VPXKeyFrame: Sendable, Hashable {
  /// 0 to 3.
  public var profile: UInt8
  /// Bits per sample: 8, 10 or 12.
  public var depth: UInt8
  /// As in `vpcC`: 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
  public var chroma: UInt8
  public var isFullRange: Bool
  /// Pixels.
  public var width: Int
  public var height: Int

  /// Reads a VP8 key frame (RFC 6386 §9.1). Returns nil if the frame is no key frame.
  public init?(vp8 frame: UnsafeRawBufferPointer) {
    guard frame.count >= 10, frame[0] & 1 == 0, frame[3...5].elementsEqual([0x9D, 0x01, 0x2A]) else { return nil }
    profile = frame[0] >> 1 & 7
    depth = 8
    chroma = 1
    isFullRange = false
    width = (Int(frame[7]) << 8 | Int(frame[6])) & 0x3FFF
    height = (Int(frame[9]) << 8 | Int(frame[8])) & 0x3FFF
    guard width > 0, height > 0 else { return nil }
  }

  /// Reads a VP9 key frame (VP9 bitstream specification §6.2). Returns nil if the frame is no key frame.
  public init?(vp9 frame: UnsafeRawBufferPointer) {
    var bits = BitReader(frame)
    guard bits.read(2) == 2, let low = bits.read(1), let high = bits.read(1) else { return nil }
    profile = UInt8(high << 1 | low)
    if profile == 3 { guard bits.read(1) == 0 else { return nil } }
    // No picture that is shown again, a key frame, then two flags and the start code.
    guard bits.read(1) == 0, bits.read(1) == 0, bits.read(2) != nil, bits.read(24) == 0x498342 else { return nil }
    depth = 8
    if profile >= 2 { depth = bits.read(1) == 1 ? 12 : 10 }
    guard let space = bits.read(3) else { return nil }
    isFullRange = true
    // 4:2:0 with the samples beside the luma samples.
    chroma = 1
    let hasOtherSampling = profile & 1 == 1
    if space != 7 {
      guard let range = bits.read(1) else { return nil }
      isFullRange = range == 1
      if hasOtherSampling {
        guard let horizontal = bits.read(1), let vertical = bits.read(1), bits.read(1) != nil else { return nil }
        chroma = horizontal == 1 ? (vertical == 1 ? 1 : 2) : 3
      }
    } else {
      chroma = 3
      if hasOtherSampling { guard bits.read(1) != nil else { return nil } }
    }
    guard let columns = bits.read(16), let rows = bits.read(16) else { return nil }
    width = Int(columns) + 1
    height = Int(rows) + 1
  }

  /// The content of `vpcC`, version 1 (VP Codec ISO Media File Format Binding). Level and colours are unspecified.
  public var configuration: [UInt8] {
    [1, 0, 0, 0, profile, 0, depth << 4 | chroma << 1 | (isFullRange ? 1 : 0), 2, 2, 2, 0, 0]
  }
}
