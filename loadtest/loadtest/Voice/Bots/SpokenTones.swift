import Codecs

/// What speakers say: each a tone of its own, by which those who hear the mix know it. A second of Opus, said again and again.
struct SpokenTones: Sendable {
  /// Ticks and microseconds of an Opus packet of 20 ms.
  static let ticks: UInt32 = 960
  static let interval: Int64 = 20_000

  /// Hertz, for each speaker. Whole periods fill a packet, so that the end fits the beginning.
  let frequencies: [Double]
  /// Peak of each tone, relative to full scale: all together stay below it.
  let amplitude: Double
  /// Of each speaker.
  let packets: [[[UInt8]]]

  init(speakers: Int, kbps: Int) throws {
    frequencies = (0..<speakers).map { Double(350 + 150 * $0) }
    let amplitude = 0.6 / Double(max(1, speakers))
    self.amplitude = amplitude
    packets = try frequencies.map { frequency in
      var tone = ToneGenerator(frequency: frequency, amplitude: amplitude)
      let opus = try OpusEncoder(OpusEncoderSettings(bitrate: kbps * 1000))
      // The first second is the coder's own beginning.
      return Array(try (0..<100).map { _ in try opus.encode(tone.next(OpusEncoder.frameCount)) }.suffix(50))
    }
  }
}
