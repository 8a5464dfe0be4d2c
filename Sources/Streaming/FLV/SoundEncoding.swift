import RoomCodecs
import RoomRTP

/// The audio encoder of a push by RTMP or SRT: AAC frames without gaps, from samples of any format.
actor SoundEncoding {
  /// A source's jitter up to this many samples at 48 kHz is not a gap: 60 ms.
  private static let tolerance: Int64 = 2880

  private let encoder: SoundEncoder
  private var clock = SourceClock()
  private var converter = StereoConverter()

  /// The AudioSpecificConfig, ISO/IEC 14496-3 §1.6.2.1.
  let configuration: [UInt8]

  init(_ settings: AACEncoderSettings) throws(CodecError) {
    let encoder = try SoundEncoder(settings)
    configuration = encoder.audioSpecificConfig
    self.encoder = encoder
  }

  /// Encodes until the end of the frames. Frames that cannot be encoded are skipped.
  func run(_ frames: AsyncStream<Arrived<AudioFrame>>, _ take: @Sendable (SoundEncoder.Frame) -> Void) async {
    for await arrived in frames {
      guard let sounds = try? encode(arrived) else { continue }
      for sound in sounds { take(sound) }
    }
  }

  private func encode(_ arrived: Arrived<AudioFrame>) throws(CodecError) -> [SoundEncoder.Frame] {
    let frame = arrived.frame
    let time = clock.time(of: frame.timestamp, arrival: arrived.time)
    let wanted = time.microseconds / 1000 * 48
    let end = encoder.end ?? wanted
    let position = abs(wanted - end) > Self.tolerance ? wanted : end
    return try encoder.write(converter.samples(of: frame)[...], at: position)
  }
}
