import RoomCFFmpeg

/// A codec of sound, with what its decoder needs to start.
public enum SoundCodec: Sendable, Hashable {
  /// AAC (LC, HE and HE v2) in raw frames, with the AudioSpecificConfig of ISO/IEC 14496-3 §1.6.2.1, as in RTMP and MP4.
  case aac(configuration: [UInt8])
  case mp2, mp3, ac3, eac3
  /// FLAC, with its STREAMINFO block.
  case flac(configuration: [UInt8])
  /// G.711 with the A-law or µ-law, at 8 kHz.
  case g711A(channels: Int)
  case g711U(channels: Int)
  /// Speex at 16 kHz in one channel.
  case speex
  /// Nellymoser in one channel, at a rate in Hz.
  case nellymoser(sampleRate: Int)
  /// PCM in 16 bits, little-endian.
  case pcm(AudioFormat)

  var name: String {
    switch self {
    case .aac: "AAC"
    case .mp2: "MP2"
    case .mp3: "MP3"
    case .ac3: "AC-3"
    case .eac3: "E-AC-3"
    case .flac: "FLAC"
    case .g711A, .g711U: "G.711"
    case .speex: "Speex"
    case .nellymoser: "Nellymoser"
    case .pcm: "PCM"
    }
  }

  private var id: AVCodecID {
    switch self {
    case .aac: AV_CODEC_ID_AAC
    case .mp2: AV_CODEC_ID_MP2
    case .mp3: AV_CODEC_ID_MP3
    case .ac3: AV_CODEC_ID_AC3
    case .eac3: AV_CODEC_ID_EAC3
    case .flac: AV_CODEC_ID_FLAC
    case .g711A: AV_CODEC_ID_PCM_ALAW
    case .g711U: AV_CODEC_ID_PCM_MULAW
    case .speex: AV_CODEC_ID_SPEEX
    case .nellymoser: AV_CODEC_ID_NELLYMOSER
    case .pcm: AV_CODEC_ID_PCM_S16LE
    }
  }

  /// The format that the codec's own data does not state.
  private var format: AudioFormat? {
    switch self {
    case .aac, .mp2, .mp3, .ac3, .eac3, .flac: nil
    case .g711A(let channels), .g711U(let channels): AudioFormat(sampleRate: 8_000, channels: channels)
    case .speex: AudioFormat(sampleRate: 16_000, channels: 1)
    case .nellymoser(let rate): AudioFormat(sampleRate: rate, channels: 1)
    case .pcm(let format): format
    }
  }

  fileprivate func open() throws(CodecError) -> LibavDecoder {
    let format = format
    try format?.check()
    let (configuration, lengths): ([UInt8], ClosedRange<Int>) =
      switch self {
      case .aac(let configuration): (configuration, 2...64)
      case .flac(let configuration): (configuration, 34...1024)
      default: ([], 0...0)
      }
    guard lengths.contains(configuration.count) else {
      throw .corrupt(codec: name, reason: "a configuration of \(configuration.count) bytes")
    }
    return try LibavDecoder(id, name: name) { context in
      context.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY
      if let format { ff_set_decoder_format(context, Int32(format.sampleRate), Int32(format.channels)) }
      return configuration.isEmpty || ff_set_extradata(context, configuration, Int32(configuration.count)) >= 0
    }
  }
}

/// Decodes sound from raw frames with libavcodec. One owner at a time.
public final class SoundDecoder {
  /// The output format, independent of the stream's own rate and channels.
  public let output: AudioFormat
  private let codec: SoundCodec
  private var decoder: LibavDecoder
  private var converter: SampleConverter

  /// - Throws: ``CodecError/unavailable(codec:reason:)`` if libavcodec rejects the configuration.
  public init(_ codec: SoundCodec, output: AudioFormat = .stereo48k) throws(CodecError) {
    try output.check()
    self.output = output
    self.codec = codec
    decoder = try codec.open()
    converter = SampleConverter(output: output)
  }

  /// Decodes one raw frame to interleaved samples. About 16 samples of a resampled stream are retained.
  /// - Throws: ``CodecError/corrupt(codec:reason:)``; the decoder stays usable.
  public func decode(_ data: [UInt8]) throws(CodecError) -> [Int16] {
    guard !data.isEmpty else { throw .corrupt(codec: codec.name, reason: "no data") }
    do throws(CodecError) {
      try decoder.send(data)
      var samples: [Int16] = []
      while let more = try decoder.receive({ (frame) throws(CodecError) in try converter.convert(frame) }) { samples += more }
      return samples
    } catch {
      // A corrupt frame may state another channel layout, with which libavcodec would reject every later frame.
      decoder = try codec.open()
      throw error
    }
  }
}
