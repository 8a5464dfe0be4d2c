import RoomCodecs
import RoomRTP

/// The decoders of a live stream, replaced when its codec or its configuration changes. One owner at a time.
final class StreamDecoders {
  /// Compressed pictures have their codec's own decoder; those of a container may be in another order than they are shown.
  private enum Pictures {
    case configured(ConfiguredVideoDecoder)
    case plain(any VideoDecoder)
  }

  private enum Sound {
    case aac(SoundDecoder)
    case opus(OpusDecoder)
  }

  private struct Key: Hashable {
    var codec: StreamSample.Codec
    var configuration: [UInt8]

    init(_ sample: StreamSample) {
      codec = sample.codec
      configuration = sample.configuration
    }
  }

  /// The format of the sound, whatever the stream's own is.
  static let format = AudioFormat.stereo48k

  private var pictures: (key: Key, decoder: Pictures)?
  private var sound: (key: Key, decoder: Sound)?

  /// Decodes a picture. Returns pictures in the order in which they are shown, none while earlier ones are outstanding.
  func pictures(_ sample: StreamSample) throws(CodecError) -> [VideoFrame] {
    switch try decoder(of: sample) {
    case .configured(let decoder): return try decoder.decode(sample.data, timestamp: sample.time)
    case .plain(let decoder):
      let picture = try decoder.decode(sample.data, timestamp: sample.time)
      return picture.map { [$0] } ?? []
    }
  }

  /// Decodes sound to ``format``.
  func samples(_ sample: StreamSample) throws(CodecError) -> [Int16] {
    let key = Key(sample)
    if let sound, sound.key == key { return try decode(sample, sound.decoder) }
    let decoder: Sound =
      sample.codec == .opus
      ? .opus(try OpusDecoder(channels: Self.format.channels))
      : .aac(try SoundDecoder(.aac(configuration: sample.configuration), output: Self.format))
    sound = (key, decoder)
    return try decode(sample, decoder)
  }

  /// Discards the pictures so far, before a key frame that does not follow them.
  func restart() {
    switch pictures?.decoder {
    case .configured(let decoder): decoder.restart()
    default: pictures = nil
    }
  }

  private func decode(_ sample: StreamSample, _ decoder: Sound) throws(CodecError) -> [Int16] {
    switch decoder {
    case .aac(let decoder): try decoder.decode(sample.data)
    case .opus(let decoder): try decoder.decode(sample.data)
    }
  }

  private func decoder(of sample: StreamSample) throws(CodecError) -> Pictures {
    let key = Key(sample)
    if let pictures, pictures.key == key { return pictures.decoder }
    let decoder: Pictures =
      switch sample.codec {
      case .vp8: .plain(try VP8Decoder())
      case .vp9: .plain(try VP9Decoder())
      case .hevc: .configured(try ConfiguredVideoDecoder(.hevc, configuration: sample.configuration))
      case .av1: .configured(try ConfiguredVideoDecoder(.av1, configuration: sample.configuration))
      default: .configured(try ConfiguredVideoDecoder(.h264, configuration: sample.configuration))
      }
    pictures = (key, decoder)
    return decoder
  }
}
