public import RoomCodecs
public import RoomRTMP
import RoomRTP

// FLV messages in MP4 terms.

extension FragmentedMP4.Track {
  /// Creates a video track from a sequence header. Returns nil if MP4 does not support the codec, or its configuration has no
  /// size.
  public init?(_ tag: VideoTag, _ payload: [UInt8]) {
    let configuration = Array(payload[tag.track.body])
    let codec: FragmentedMP4.Codec
    switch tag.track.codec {
    case .avc, .fourCC(.avc): codec = .h264
    case .fourCC(.hevc), .other(12): codec = .hevc
    case .fourCC(.av1): codec = .av1
    default: return nil
    }
    if codec == .h264 {
      let sets = configuration.withUnsafeBytes { AVCConfiguration(parsing: $0)?.sequenceParameters }
      guard let set = sets?.first, let picture = SequenceParameters(parsing: set) else { return nil }
      self = .video(codec, configuration: configuration, width: picture.width, height: picture.height)
    } else {
      guard let size = FragmentedMP4.pictureSize(codec, configuration: configuration) else { return nil }
      self = .video(codec, configuration: configuration, width: size.width, height: size.height)
    }
  }

  /// Creates an audio track from a sequence header. Returns nil if MP4 does not support the codec.
  public init?(_ tag: AudioTag, _ payload: [UInt8]) {
    let configuration = Array(payload[tag.track.body])
    if tag.track.codec.isAAC {
      guard let config = configuration.withUnsafeBytes({ AudioSpecificConfig(parsing: $0) }), config.sampleRate <= 96_000
      else { return nil }
      self = .audio(.aac, configuration: configuration, sampleRate: config.sampleRate, channels: config.channels ?? 2)
      return
    }
    // OpusHead: 8 bytes of magic signature, a version, and the channel count (RFC 7845 §5.1).
    guard tag.track.codec == .fourCC(.opus), configuration.count >= 19, configuration.starts(with: Array("OpusHead".utf8)),
      (1...8).contains(configuration[9])
    else { return nil }
    self = .audio(.opus, configuration: configuration, sampleRate: 48_000, channels: Int(configuration[9]))
  }

  /// Returns the number of samples in a message of this audio track.
  public func samples(in body: Range<Int>, of payload: [UInt8]) -> Int64 {
    guard codec == .opus else { return 1024 }
    let packet = payload.withUnsafeBytes { OpusPacket(parsing: UnsafeRawBufferPointer(rebasing: $0[body])) }
    return Int64(packet?.sampleCount ?? 960)
  }
}
