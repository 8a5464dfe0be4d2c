import CFFmpeg

/// AAC (LC, HE and HE v2) by libavcodec, from raw frames. One owner at a time.
public final class AACDecoder {
  /// What comes out, whatever the stream's own rate and channels are.
  public let output: AudioFormat
  private let audioSpecificConfig: [UInt8]
  private var codec: LibavDecoder
  private var converter: SampleConverter

  /// - Parameter audioSpecificConfig: ISO/IEC 14496-3 §1.6.2.1, as RTMP and MP4 carry it.
  /// - Throws: ``CodecError/unavailable(codec:reason:)`` where libavcodec refuses the configuration.
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

  /// One raw frame in, its samples out, interleaved. A resampled stream keeps some 16 samples back.
  /// - Throws: ``CodecError/corrupt(codec:reason:)``; the decoder stays usable.
  public func decode(_ data: [UInt8]) throws(CodecError) -> [Int16] {
    guard !data.isEmpty else { throw .corrupt(codec: "AAC", reason: "no data") }
    do throws(CodecError) {
      try codec.send(data)
      var samples: [Int16] = []
      while let more = try codec.receive({ (frame) throws(CodecError) in try converter.convert(frame) }) { samples += more }
      return samples
    } catch {
      // A broken frame can name another layout of channels, which libavcodec would hold every later frame against.
      codec = try Self.open(audioSpecificConfig)
      throw error
    }
  }

  private static func open(_ configuration: [UInt8]) throws(CodecError) -> LibavDecoder {
    try LibavDecoder(live: AV_CODEC_ID_AAC, name: "AAC", configuration: configuration)
  }
}
