import RoomCodecs
import RoomRTMP
import RoomRTP
import RoomTransportStream

/// Converts the frames of a file to the messages of RTMP, with their sequence headers.
struct PacketMessages {
  /// Converts pictures in Annex B form, which transport streams have, and RTSP.
  private var annexB = StreamMessages()
  private var isAnnexB = false
  /// Parameter sets in Annex B form that precede the first key frame.
  private var parameterSets: [UInt8] = []

  init() { _ = annexB.messages(of: .program(hasVideo: true, hasAudio: false)) }

  /// Converts the next frame.
  mutating func messages(of packet: MediaPackets.Packet) -> [MediaMessage] {
    switch packet.codec {
    case .picture(let codec): pictures(packet, codec)
    case .sound(let codec): sound(packet, codec)
    }
  }

  private func sound(_ packet: MediaPackets.Packet, _ codec: MediaPackets.SoundCodec) -> [MediaMessage] {
    func header(_ type: AudioTag.PacketType) -> [UInt8] {
      codec == .aac ? AudioTag.aacHeader(type) : AudioTag.enhancedHeader(.opus, type)
    }
    let start = packet.configuration.map { header(.sequenceStart) + $0 }
    return [start, header(.codedFrames) + packet.data].compactMap { $0 }.map {
      MediaMessage(.audio, at: packet.decoding, payload: $0)
    }
  }

  private mutating func pictures(_ packet: MediaPackets.Packet, _ codec: MediaPackets.PictureCodec) -> [MediaMessage] {
    if let configuration = packet.configuration, codec == .h264 || codec == .hevc {
      // A record of MP4 begins with its version, which is 1 (ISO/IEC 14496-15 §5.3.3.1); a start code with 0.
      isAnnexB = configuration.first != 1
      parameterSets = isAnnexB ? configuration : []
    }
    if isAnnexB { return annexBPictures(packet, codec == .h264 ? .h264 : .hevc) }
    let milliseconds = packet.presentation.milliseconds - packet.decoding.milliseconds
    let composition = Int32(clamping: min(max(milliseconds, -8_000_000), 8_000_000))
    func header(_ type: VideoTag.PacketType, isKeyFrame: Bool) -> [UInt8] {
      switch codec {
      case .h264:
        VideoTag.avcHeader(type, isKeyFrame: isKeyFrame, compositionTime: type == .sequenceStart ? 0 : composition)
      case .hevc: VideoTag.enhancedHeader(.hevc, type, isKeyFrame: isKeyFrame, compositionTime: composition)
      case .vp8: VideoTag.enhancedHeader(.vp8, type, isKeyFrame: isKeyFrame)
      case .vp9: VideoTag.enhancedHeader(.vp9, type, isKeyFrame: isKeyFrame)
      case .av1: VideoTag.enhancedHeader(.av1, type, isKeyFrame: isKeyFrame)
      }
    }
    let start = packet.configuration.map { header(.sequenceStart, isKeyFrame: true) + $0 }
    return [start, header(.codedFrames, isKeyFrame: packet.isKeyFrame) + packet.data].compactMap { $0 }.map {
      MediaMessage(.video, at: packet.decoding, payload: $0)
    }
  }

  private mutating func annexBPictures(_ packet: MediaPackets.Packet, _ codec: PictureCodec) -> [MediaMessage] {
    var data = packet.data
    if packet.isKeyFrame, !parameterSets.isEmpty {
      data = parameterSets + data
      parameterSets = []
    }
    return annexB.messages(
      of: .picture(
        data, codec, decoding: packet.decoding, presentation: packet.presentation, isKeyFrame: packet.isKeyFrame))
  }
}
