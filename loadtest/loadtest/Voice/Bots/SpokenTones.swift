import RoomCodecs

/// The speakers' audio: a different tone for each, by which listeners identify it in the mix. One second of Opus, looped.
struct SpokenTones: Sendable {
  /// Duration of a 20 ms Opus packet, in RTP ticks and in microseconds.
  static let ticks: UInt32 = 960
  static let interval: Int64 = 20_000

  /// Frequency of each speaker's tone in Hz. A packet contains whole periods, so that the loop is seamless.
  let frequencies: [Double]
  /// Peak of each tone, relative to full scale; the sum of all tones stays below full scale.
  let amplitude: Double
  /// Packets of each speaker.
  let packets: [[[UInt8]]]

  init(speakers: Int, kbps: Int) throws {
    frequencies = (0..<speakers).map { Double(350 + 150 * $0) }
    let amplitude = 0.6 / Double(max(1, speakers))
    self.amplitude = amplitude
    packets = try frequencies.map { frequency in
      var tone = ToneGenerator(frequency: frequency, amplitude: amplitude)
      let opus = try OpusEncoder(OpusEncoderSettings(bitrate: kbps * 1000))
      // The first second is discarded because the encoder is still starting up.
      return Array(try (0..<100).map { _ in try opus.encode(tone.next(OpusEncoder.frameCount)) }.suffix(50))
    }
  }
}
