import RoomRTMP
import RoomRTP

/// The codec of a recorded track and what its decoder needs to start.
struct TrackFormat: Sendable, Hashable {
  enum Codec: String, Sendable, Hashable {
    case h264, vp8, vp9, opus
  }

  var codec: Codec
  /// The decoder's configuration: the content of `avcC`, `vpcC` or `dOps`.
  var configuration: [UInt8]
  /// In pixels; 0 for audio.
  var width = 0
  var height = 0

  /// Units of time per second: those of the RTP timestamps.
  var timescale: UInt32 { codec == .opus ? 48_000 : 90_000 }

  /// Opus in two channels at 48 kHz, as RTP always announces it (RFC 7587 §7). Nothing is skipped at the start, so that the first
  /// sample has the time of the first packet.
  static let opus = TrackFormat(
    codec: .opus,
    // Version, channels, pre-skip, input rate, gain and channel mapping (Encapsulation of Opus in ISOBMFF §4.3.2).
    configuration: [0, 2, 0, 0, 0, 0, 0xBB, 0x80, 0, 0, 0])

  static func h264(_ configuration: AVCConfiguration) -> TrackFormat? {
    guard let size = configuration.sequenceParameters.first.flatMap(SequenceParameters.init(parsing:)) else { return nil }
    return TrackFormat(codec: .h264, configuration: configuration.encoded, width: size.width, height: size.height)
  }

  /// Reads the format in a VP8 key frame (RFC 6386 §9.1).
  init?(vp8 frame: [UInt8]) {
    guard frame.count >= 10, frame[0] & 1 == 0, frame[3...5].elementsEqual([0x9D, 0x01, 0x2A]) else { return nil }
    codec = .vp8
    width = (Int(frame[7]) << 8 | Int(frame[6])) & 0x3FFF
    height = (Int(frame[9]) << 8 | Int(frame[8])) & 0x3FFF
    configuration = Self.vpcC(profile: frame[0] >> 1 & 7, depth: 8, chroma: 1, isFullRange: false)
    guard width > 0, height > 0 else { return nil }
  }

  /// Reads the format in a VP9 key frame (VP9 bitstream specification §6.2).
  init?(vp9 frame: [UInt8]) {
    let read = frame.withUnsafeBytes { Self.header(vp9: $0) }
    guard let read else { return nil }
    self = read
  }

  private init(codec: Codec, configuration: [UInt8], width: Int = 0, height: Int = 0) {
    (self.codec, self.configuration, self.width, self.height) = (codec, configuration, width, height)
  }

  private static func header(vp9 frame: UnsafeRawBufferPointer) -> TrackFormat? {
    var bits = BitReader(frame)
    guard bits.read(2) == 2, let low = bits.read(1), let high = bits.read(1) else { return nil }
    let profile = UInt8(high << 1 | low)
    if profile == 3 { guard bits.read(1) == 0 else { return nil } }
    // No picture that is shown again, a key frame, then two flags and the start code.
    guard bits.read(1) == 0, bits.read(1) == 0, bits.read(2) != nil, bits.read(24) == 0x498342 else { return nil }
    var depth: UInt8 = 8
    if profile >= 2 { depth = bits.read(1) == 1 ? 12 : 10 }
    guard let space = bits.read(3) else { return nil }
    var isFullRange = true
    // 4:2:0 with the samples beside the luma samples.
    var chroma: UInt8 = 1
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
    guard let width = bits.read(16), let height = bits.read(16) else { return nil }
    return TrackFormat(
      codec: .vp9, configuration: vpcC(profile: profile, depth: depth, chroma: chroma, isFullRange: isFullRange),
      width: Int(width) + 1, height: Int(height) + 1)
  }

  /// Returns the content of `vpcC`, version 1 (VP Codec ISO Media File Format Binding). Level and colours are unspecified.
  private static func vpcC(profile: UInt8, depth: UInt8, chroma: UInt8, isFullRange: Bool) -> [UInt8] {
    [1, 0, 0, 0, profile, 0, depth << 4 | chroma << 1 | (isFullRange ? 1 : 0), 2, 2, 2, 0, 0]
  }
}
