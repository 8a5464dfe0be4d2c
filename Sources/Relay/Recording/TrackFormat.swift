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

  /// Reads the format in a VP8 key frame.
  init?(vp8 frame: [UInt8]) {
    guard let format = frame.withUnsafeBytes({ VPXKeyFrame(vp8: $0) }) else { return nil }
    self.init(.vp8, format)
  }

  /// Reads the format in a VP9 key frame.
  init?(vp9 frame: [UInt8]) {
    guard let format = frame.withUnsafeBytes({ VPXKeyFrame(vp9: $0) }) else { return nil }
    self.init(.vp9, format)
  }

  private init(_ codec: Codec, _ format: VPXKeyFrame) {
    self.init(codec: codec, configuration: format.configuration, width: format.width, height: format.height)
  }

  private init(codec: Codec, configuration: [UInt8], width: Int = 0, height: Int = 0) {
    (self.codec, self.configuration, self.width, self.height) = (codec, configuration, width, height)
  }
}
