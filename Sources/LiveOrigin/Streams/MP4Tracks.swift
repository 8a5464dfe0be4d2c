public import RoomCodecs
public import RoomRTMP
import RoomRTP

// FLV messages in MP4 terms.

extension FragmentedMP4.Track {
  /// Creates a video track from a message that states the stream's format: a sequence header, or a key frame of VP8 and VP9.
  /// Returns nil if the message does not state one, or MP4 does not support the codec.
  public init?(_ tag: VideoTag, _ payload: [UInt8]) {
    let body = payload[tag.track.body]
    switch tag.track.codec {
    case .fourCC(.vp8), .fourCC(.vp9):
      guard !tag.isSequenceHeader, tag.isKeyFrame else { return nil }
      let isVP8 = tag.track.codec == .fourCC(.vp8)
      let format = body.withUnsafeBytes { isVP8 ? VPXKeyFrame(vp8: $0) : VPXKeyFrame(vp9: $0) }
      guard let format else { return nil }
      self = .video(isVP8 ? .vp8 : .vp9, configuration: format.configuration, width: format.width, height: format.height)
    case .avc, .fourCC(.avc):
      guard tag.isSequenceHeader else { return nil }
      let sets = body.withUnsafeBytes { AVCConfiguration(parsing: $0)?.sequenceParameters }
      guard let set = sets?.first, let picture = SequenceParameters(parsing: set) else { return nil }
      self = .video(.h264, configuration: Array(body), width: picture.width, height: picture.height)
    case .fourCC(.hevc), .other(12), .fourCC(.av1):
      guard tag.isSequenceHeader else { return nil }
      let codec: FragmentedMP4.Codec = tag.track.codec == .fourCC(.av1) ? .av1 : .hevc
      guard let size = FragmentedMP4.pictureSize(codec, configuration: Array(body)) else { return nil }
      self = .video(codec, configuration: Array(body), width: size.width, height: size.height)
    default: return nil
    }
  }

  /// Creates an audio track from a sequence header. Returns nil if MP4 does not support the codec.
  public init?(_ tag: AudioTag, _ payload: [UInt8]) {
    let body = payload[tag.track.body]
    switch tag.track.codec {
    case .aac, .fourCC(.aac):
      guard tag.isSequenceHeader, let config = body.withUnsafeBytes({ AudioSpecificConfig(parsing: $0) }),
        config.sampleRate <= 96_000
      else { return nil }
      self = .audio(.aac, configuration: Array(body), sampleRate: config.sampleRate, channels: config.channels ?? 2)
    case .fourCC(.opus):
      // OpusHead: 8 bytes of magic signature, a version, and the channel count (RFC 7845 §5.1).
      let head = Array(body)
      guard tag.isSequenceHeader, head.count >= 19, head.starts(with: Array("OpusHead".utf8)), (1...8).contains(head[9])
      else { return nil }
      self = .audio(.opus, configuration: head, sampleRate: 48_000, channels: Int(head[9]))
    default: return nil
    }
  }

  /// Returns the number of samples in a message of this audio track.
  public func samples(in body: Range<Int>, of payload: [UInt8]) -> Int64 {
    guard codec == .opus else { return 1024 }
    let packet = payload.withUnsafeBytes { OpusPacket(parsing: UnsafeRawBufferPointer(rebasing: $0[body])) }
    return Int64(packet?.sampleCount ?? 960)
  }
}
