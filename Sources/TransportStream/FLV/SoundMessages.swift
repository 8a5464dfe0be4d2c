import RoomRTMP

// Sound in the forms of RTMP: AAC and MPEG audio with the old header, other codecs with the enhanced one.

extension SoundFormat {
  /// Returns the payload of a message with a frame.
  func payload(of frame: [UInt8]) -> [UInt8] {
    switch self {
    case .aac: AudioTag.aacHeader(.codedFrames) + frame
    case .opus: AudioTag.enhancedHeader(.opus, .codedFrames) + frame
    case .ac3: AudioTag.enhancedHeader(.ac3, .codedFrames) + frame
    case .eac3: AudioTag.enhancedHeader(.eac3, .codedFrames) + frame
    case .mpegAudio(_, let rate, let channels):
      // Number 2, the nearest rate of FLV 10.1 §E.4.2.1, 16 bits. Decoders read the frame's own header.
      [0x22 | (rate >= 32_000 ? 3 : rate >= 16_000 ? 2 : 1) << 2 | (channels == 1 ? 0 : 1)] + frame
    }
  }

  /// Returns the payload of the sequence header that precedes the first frame; nil if there is none.
  /// - Parameter former: the format before.
  func sequenceHeader(after former: SoundFormat?) -> [UInt8]? {
    guard self != former else { return nil }
    switch self {
    case .aac(let configuration): return AudioTag.aacHeader(.sequenceStart) + configuration
    case .opus(let head): return AudioTag.enhancedHeader(.opus, .sequenceStart) + head
    case .ac3: return former == nil ? nil : AudioTag.enhancedHeader(.ac3, .sequenceStart)
    case .eac3: return former == nil ? nil : AudioTag.enhancedHeader(.eac3, .sequenceStart)
    case .mpegAudio:
      // Frames of these codecs describe themselves. An empty header replaces that of the codec before, which servers keep.
      switch former {
      case nil, .mpegAudio: return nil
      default: return AudioTag.enhancedHeader(.mp3, .sequenceStart)
      }
    }
  }
}
