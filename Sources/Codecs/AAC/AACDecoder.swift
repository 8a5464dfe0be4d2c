import RoomCFFmpeg

/// Decodes AAC (LC, HE and HE v2) from raw frames with libavcodec. One owner at a time.
public final class AACDecoder {
  /// The output format, independent of the stream's own rate and channels.
  public let output: AudioFormat
  private let audioSpecificConfig: [UInt8]
  private var codec: LibavDecoder
  private var converter: SampleConverter

  /// - Parameter audioSpecificConfig: The AudioSpecificConfig of ISO/IEC 14496-3 §1.6.2.1, as in RTMP and MP4.
  /// - Throws: ``CodecError/unavailable(codec:reason:)`` if libavcodec rejects the configuration.
  public init(audioSpecificConfig: [UInt8], output: AudioFormat = .stereo48k) throws(CodecError) {
    try output.check()
    guard (2...64).contains(audioSpecificConfig.count) else {
      throw .corrupt(codec: "AAC", reason: "a configuration of \(audioSpecificConfig.count) bytes")
    }
    self.output = output
    self.audioSpecificConfig = audioSpecificConfig
    codec = try Self.open(audioSpecificConfig)
    converter = SampleConverter(output: output)
  }

  /// Decodes one raw frame to interleaved samples. About 16 samples of a resampled stream are retained.
  /// - Throws: ``CodecError/corrupt(codec:reason:)``; the decoder stays usable.
  public func decode(_ data: [UInt8]) throws(CodecError) -> [Int16] {
    guard !data.isEmpty else { throw .corrupt(codec: "AAC", reason: "no data") }
    do throws(CodecError) {
      try codec.send(data)
      var samples: [Int16] = []
      while let more = try codec.receive({ (frame) throws(CodecError) in try converter.convert(frame) }) { samples += more }
      return samples
    } catch {
      // A corrupt frame may state another channel layout, with which libavcodec would reject every later frame.
      codec = try Self.open(audioSpecificConfig)
      throw error
    }
  }

  private static func open(_ configuration: [UInt8]) throws(CodecError) -> LibavDecoder {
    try LibavDecoder(live: AV_CODEC_ID_AAC, name: "AAC", configuration: configuration)
  }
}
