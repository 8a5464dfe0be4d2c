import Foundation
import RoomTestSupport
import Testing

@testable import RoomCodecs

@Suite("Opus")
struct OpusTests {
  private func left(_ samples: [Int16], channels: Int) -> [Int16] {
    stride(from: 0, to: samples.count, by: channels).map { samples[$0] }
  }

  @Test("a decoded tone has its frequency", arguments: [(1, 440.0), (2, 1000.0), (1, 200.0), (2, 3000.0)])
  func tone(channels: Int, frequency: Double) throws {
    let encoder = try OpusEncoder(.init(channels: channels, bitrate: 48_000))
    let decoder = try OpusDecoder(channels: channels)
    var tone = ToneGenerator(frequency: frequency, format: AudioFormat(sampleRate: 48_000, channels: channels))
    var heard: [Int16] = []
    for _ in 0..<25 {
      let packet = try encoder.encode(tone.next(OpusEncoder.frameCount))
      #expect(packet.count < 400)
      let samples = try decoder.decode(packet)
      #expect(samples.count == OpusEncoder.frameCount * channels)
      heard += samples
    }
    let found = try #require(
      ToneDetector.strongestTone(in: left(heard, channels: channels).suffix(9600), sampleRate: 48_000))
    #expect(abs(found.frequency - frequency) < 5)
    #expect((0.2...0.4).contains(found.amplitude))
  }

  @Test("a lost packet is concealed with audio similar to the preceding")
  func concealment() throws {
    let encoder = try OpusEncoder()
    let decoder = try OpusDecoder()
    var tone = ToneGenerator(frequency: 500)
    for _ in 0..<10 { _ = try decoder.decode(encoder.encode(tone.next(960))) }
    let stand = try decoder.conceal()
    #expect(stand.count == 960)
    #expect(AudioFrame(samples: stand, format: .mono48k).level > 0.05)
  }

  @Test("with error correction, a lost packet is recovered from the next one")
  func correction() throws {
    func level(fec: Bool) throws -> Double {
      let encoder = try OpusEncoder(.init(bitrate: 32_000, forwardErrorCorrection: fec, expectedLoss: 20))
      let decoder = try OpusDecoder()
      // A quiet voice-like sound, pauses, and a loud one that the decoder never receives, so concealment cannot know it.
      var time = 0.0
      var packet: [UInt8] = []
      for number in 0..<32 {
        let loudness = number < 30 ? (number % 10 > 5 ? 0 : 0.0016) : 0.08
        let samples = (0..<960).map { _ in
          time += 1 / 48_000
          let pitch = 180 + 20 * sin(9 * time)
          return Int16((1...10).reduce(0.0) { $0 + sin(2 * .pi * pitch * Double($1) * time) } * loudness * 32_767)
        }
        packet = try encoder.encode(samples)
        if number < 30 { _ = try decoder.decode(packet) }
      }
      return AudioFrame(samples: try decoder.recover(from: packet), format: .mono48k).level
    }
    let (with, without) = (try level(fec: true), try level(fec: false))
    #expect(with > 0.02)
    #expect(without < 0.002)
  }

  @Test("the bitrate follows a live change")
  func bitrate() throws {
    let encoder = try OpusEncoder(.init(bitrate: 64_000, application: .music))
    var random = SeededGenerator(seed: 1)
    func bytes() throws -> Int {
      try (0..<50).reduce(0) { sum, _ in
        sum + (try encoder.encode((0..<960).map { _ in Int16.random(in: -8000...8000, using: &random) }).count)
      }
    }
    let high = try bytes()
    var settings = encoder.settings
    settings.bitrate = 16_000
    try encoder.reconfigure(settings)
    let low = try bytes()
    #expect((6_000...10_000).contains(high))
    #expect((1_200...3_000).contains(low))
  }

  @Test("invalid settings and lengths are rejected")
  func refused() throws {
    #expect(throws: CodecError.self) { try OpusEncoder(.init(channels: 3)) }
    #expect(throws: CodecError.self) { try OpusEncoder(.init(bitrate: 1)) }
    #expect(throws: CodecError.self) { try OpusDecoder(channels: 0) }
    let encoder = try OpusEncoder()
    #expect(throws: CodecError.self) { try encoder.encode([1, 2, 3]) }
    var stereo = encoder.settings
    stereo.channels = 2
    #expect(throws: CodecError.self) { try encoder.reconfigure(stereo) }
  }

  @Test("the decoder survives any input")
  func garbage() throws {
    var random = SeededGenerator(seed: 5)
    let decoder = try OpusDecoder(channels: 2)
    for round in 0..<5000 {
      let packet = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let count = Int.random(in: -10_000...10_000, using: &random)
      switch round % 3 {
      case 0: _ = try? decoder.decode(packet)
      case 1: _ = try? decoder.recover(from: packet, frameCount: count)
      default: _ = try? decoder.conceal(frameCount: count)
      }
    }
    let encoder = try OpusEncoder(.init(channels: 2))
    #expect(try decoder.decode(encoder.encode([Int16](repeating: 0, count: 1920))).count == 1920)
  }

  @Test("with discontinuous transmission silence has no packet, except one each 0.4 s")
  func silence() throws {
    let encoder = try OpusEncoder(.init(discontinuousTransmission: true))
    var tone = ToneGenerator(frequency: 300, amplitude: 0.3, format: .mono48k)
    func sent(_ count: Int, _ samples: () -> [Int16]) throws -> Int {
      try (0..<count).filter { _ in !(try encoder.encode(samples())).isEmpty }.count
    }
    _ = try sent(25) { [Int16](repeating: 0, count: OpusEncoder.frameCount) }
    let silent = try sent(100) { [Int16](repeating: 0, count: OpusEncoder.frameCount) }
    #expect((1...10).contains(silent))
    // A tone of more than half a second counts as noise.
    #expect(try sent(25) { tone.next(OpusEncoder.frameCount) } == 25)
    var settings = encoder.settings
    settings.discontinuousTransmission = false
    try encoder.reconfigure(settings)
    #expect(try sent(50) { [Int16](repeating: 0, count: OpusEncoder.frameCount) } == 50)
  }
}
