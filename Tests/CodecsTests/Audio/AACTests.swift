import RoomTestSupport
import Testing

@testable import RoomCodecs

@Suite("AAC")
struct AACTests {
  private static let frame = AACEncoder.frameCount

  @Test(
    "a decoded tone has its frequency",
    arguments: [(44_100, 2, 440.0), (48_000, 2, 1000.0), (44_100, 1, 700.0), (48_000, 1, 300.0)])
  func tone(rate: Int, channels: Int, frequency: Double) throws {
    let format = AudioFormat(sampleRate: rate, channels: channels)
    let encoder = try AACEncoder(.init(format: format, bitrate: 64_000 * channels))
    let decoder = try SoundDecoder(.aac(configuration: encoder.audioSpecificConfig), output: .mono48k)
    var tone = ToneGenerator(frequency: frequency, format: format)
    var heard: [Int16] = []
    for _ in 0..<40 {
      guard let packet = try encoder.encode(tone.next(Self.frame)) else { continue }
      heard += try decoder.decode(packet)
    }
    let found = try #require(ToneDetector.strongestTone(in: heard.suffix(9600), sampleRate: 48_000))
    #expect(abs(found.frequency - frequency) < 6)
    #expect((0.15...0.45).contains(found.amplitude))
  }

  @Test("samples are decoded after the announced delay")
  func delay() throws {
    let format = AudioFormat(sampleRate: 48_000, channels: 1)
    let encoder = try AACEncoder(.init(format: format, bitrate: 128_000))
    let decoder = try SoundDecoder(.aac(configuration: encoder.audioSpecificConfig), output: format)
    // Silence, then a tone that starts at a known sample.
    let start = 20 * Self.frame + 300
    var tone = ToneGenerator(frequency: 1000, format: format)
    let source = [Int16](repeating: 0, count: start) + tone.next(20 * Self.frame - 300)
    var heard: [Int16] = []
    for index in 0..<40 {
      if let packet = try encoder.encode(Array(source[index * Self.frame..<(index + 1) * Self.frame])) {
        heard += try decoder.decode(packet)
      }
    }
    #expect(heard.count == 39 * Self.frame)
    let first = try #require(heard.firstIndex { abs(Int($0)) > 2000 })
    #expect(abs(first - (start + encoder.delay)) < 100)
  }

  @Test("the configuration contains profile, rate and channels")
  func configuration() throws {
    let encoder = try AACEncoder(.init(format: AudioFormat(sampleRate: 44_100, channels: 2)))
    // 5 bits AAC-LC (2), 4 bits rate index (4), 4 bits channels (2).
    #expect(encoder.audioSpecificConfig == [0x12, 0x10])
  }

  @Test("settings out of range are rejected")
  func ranges() {
    for settings in [
      AACEncoderSettings(format: AudioFormat(sampleRate: 44_000, channels: 2)),
      AACEncoderSettings(format: AudioFormat(sampleRate: 44_100, channels: 3)),
      AACEncoderSettings(bitrate: 1000),
    ] {
      #expect(throws: CodecError.self) { try AACEncoder(settings) }
    }
    #expect(throws: CodecError.self) { try SoundDecoder(.aac(configuration: [])) }
    #expect(throws: CodecError.self) { try SoundDecoder(.aac(configuration: [UInt8](repeating: 0xFF, count: 65))) }
  }

  @Test("corrupt input does not break a decoder")
  func garbage() throws {
    let encoder = try AACEncoder()
    let decoder = try SoundDecoder(.aac(configuration: encoder.audioSpecificConfig))
    var random = SeededGenerator(seed: 7)
    for _ in 0..<500 {
      let noise = (0..<Int.random(in: 1...300, using: &random)).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      _ = try? decoder.decode(noise)
    }
    var tone = ToneGenerator(frequency: 440, format: encoder.settings.format)
    var heard: [Int16] = []
    for _ in 0..<30 {
      if let packet = try encoder.encode(tone.next(Self.frame)) { heard += (try? decoder.decode(packet)) ?? [] }
    }
    #expect(AudioFrame(samples: Array(heard.suffix(9600)), format: .stereo48k).level > 0.05)
  }
}
