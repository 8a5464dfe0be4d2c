import Testing

@testable import RoomCodecs

@Suite("The resampler")
struct ResamplerTests {
  @Test(
    "a tone keeps its frequency, amplitude and duration",
    arguments: [(44_100, 2, 48_000, 1), (48_000, 1, 16_000, 1), (8_000, 1, 48_000, 2), (48_000, 2, 48_000, 2)])
  func tone(fromRate: Int, fromChannels: Int, toRate: Int, toChannels: Int) throws {
    let input = AudioFormat(sampleRate: fromRate, channels: fromChannels)
    let output = AudioFormat(sampleRate: toRate, channels: toChannels)
    let resampler = try Resampler(from: input, to: output)
    var tone = ToneGenerator(frequency: 600, format: input)
    var result: [Int16] = []
    for _ in 0..<50 { result += resampler.process(tone.next(fromRate / 50)) }
    result += resampler.flush()
    #expect(abs(result.count / toChannels - toRate) < toRate / 50)
    let left = stride(from: 0, to: result.count, by: toChannels).map { result[$0] }
    let found = try #require(ToneDetector.strongestTone(in: left.prefix(toRate / 5), sampleRate: toRate))
    #expect(abs(found.frequency - 600) < 5)
    #expect((0.19...0.45).contains(found.amplitude))
  }

  @Test("formats out of range are rejected")
  func refused() {
    #expect(throws: CodecError.self) { try Resampler(from: .init(sampleRate: 0, channels: 1), to: .mono48k) }
    #expect(throws: CodecError.self) { try Resampler(from: .mono48k, to: .init(sampleRate: 48_000, channels: 99)) }
  }
}
