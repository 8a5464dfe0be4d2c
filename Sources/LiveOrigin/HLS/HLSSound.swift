import RoomCodecs
import RoomRTMP
import RoomRTP

/// The sound of a stream as HLS carries it. AAC and Opus are unchanged. Other codecs become AAC, because browsers play none of them
/// in MP4. One owner at a time.
final class HLSSound {
  /// The difference in samples between the messages' times and the count of samples, above which the count is corrected: 40 ms.
  /// Times in FLV are whole milliseconds.
  private static let tolerance: Int64 = 1920
  private static let rate: Int64 = 48_000

  private var codec: SoundCodec?
  private var decoder: SoundDecoder?
  private var encoder: SoundEncoder?
  private var hasHeader = false

  /// Returns the track that sound of this codec becomes; nil if it stays unchanged, or HLS does not carry it.
  func expect(_ codec: AudioTag.Codec) -> FragmentedMP4.Track? {
    guard codec.isInHLS, !Self.isUnchanged(codec) else { return nil }
    return openEncoder().map { .audio(.aac, configuration: $0.audioSpecificConfig, sampleRate: 48_000, channels: 2) }
  }

  private static func isUnchanged(_ codec: AudioTag.Codec) -> Bool { codec.isAAC || codec == .fourCC(.opus) }

  private func openEncoder() -> SoundEncoder? {
    encoder = encoder ?? (try? SoundEncoder(AACEncoderSettings(format: .stereo48k)))
    return encoder
  }

  /// Returns the messages that replace an audio message.
  func take(_ message: LiveMedia, _ tag: AudioTag) -> [LiveMedia] {
    let payload = message.media.payload
    if Self.isUnchanged(tag.track.codec) {
      codec = nil
      return [message]
    }
    if let codec = SoundCodec(tag, payload), codec != self.codec {
      self.codec = codec
      decoder = try? SoundDecoder(codec)
      _ = openEncoder()
      hasHeader = false
    }
    guard codec != nil, tag.packetType == .codedFrames, let decoder, let encoder,
      let samples = try? decoder.decode(Array(payload[tag.track.body]))
    else { return [] }
    let wanted = message.time.ticks(rate: Self.rate)
    let position = encoder.end.map { abs($0 - wanted) > Self.tolerance ? wanted : $0 } ?? wanted
    var messages: [LiveMedia] = []
    if !hasHeader {
      hasHeader = true
      messages.append(Self.message(.sequenceStart, encoder.audioSpecificConfig, at: message.time))
    }
    for frame in (try? encoder.write(samples[...], at: position)) ?? [] {
      messages.append(Self.message(.codedFrames, frame.data, at: frame.time))
    }
    return messages
  }

  private static func message(_ type: AudioTag.PacketType, _ body: [UInt8], at time: MediaTime) -> LiveMedia {
    LiveMedia(MediaMessage(.audio, at: time, payload: AudioTag.aacHeader(type) + body), time: time, isKeyFrame: false)
  }
}
