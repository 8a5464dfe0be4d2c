import RoomCodecs
import RoomMediaTimeLiterals
import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomClient
@testable import RoomMedia

@Suite("An audio source")
struct AudioSourceTests {
  private func strongest(_ frames: [AudioFrame]) -> Double? {
    let left = frames.flatMap { frame in
      stride(from: 0, to: frame.samples.count, by: frame.format.channels).map { frame.samples[$0] }
    }
    return ToneDetector.strongestTone(in: left.suffix(9600), sampleRate: 48_000)?.frequency
  }

  @Test("a tone arrives at the receiver", arguments: [(1, 440.0), (2, 880.0)])
  func tone(channels: Int, frequency: Double) async throws {
    let source = try AudioSource.tone(frequency: frequency, .init(channels: channels))
    let loop = Loop(source.track, codec: .opus)
    let playback = try AudioPlayback(loop.remote, channels: channels)
    let frames = await collect(40, from: playback.frames)
    #expect(frames.count == 40)
    #expect(abs(try #require(strongest(frames)) - frequency) < 5)
    for (a, b) in zip(frames, frames.dropFirst()) { #expect(abs(b.timestamp - a.timestamp - 20_000) <= 1) }
    // A sine of 0.2 is 17 dB below full scale.
    #expect(loop.levels.dropFirst(2).allSatisfy { (-19 ... -15).contains($0 ?? 0) })
  }

  @Test("samples of any format and in chunks of any size become packets of 20 ms")
  func formats() async throws {
    let format = AudioFormat(sampleRate: 44_100, channels: 2)
    let source = try AudioSource(.init(channels: 1))
    let loop = Loop(source.track, codec: .opus)
    let playback = try AudioPlayback(loop.remote)
    var tone = ToneGenerator(frequency: 700, format: format)
    var time: MediaTime = 1_000_000
    for count in Array(repeating: [441, 1000, 37, 2048], count: 12).joined() {
      source.push(AudioFrame(samples: tone.next(count), format: format, timestamp: time))
      time = time.advanced(microseconds: Int64(count) * 1_000_000 / 44_100)
      // The backlog has 50 entries; 48 fit.
    }
    let frames = await collect(45, from: playback.frames)
    #expect(frames.count == 45)
    #expect(abs(try #require(strongest(frames)) - 700) < 5)
    for (a, b) in zip(loop.sent, loop.sent.dropFirst()) { #expect(b.timestamp &- a.timestamp == 960) }
    #expect(source.statistics.failed == 0)
  }

  @Test("a gap in the source is a gap in the packets' timestamps")
  func gap() async throws {
    let source = try AudioSource()
    let loop = Loop(source.track, codec: .opus)
    let block = [Int16](repeating: 100, count: 960)
    for time in [0, 20_000, 40_000, 1_000_000, 1_020_000] as [MediaTime] {
      source.push(AudioFrame(samples: block, format: .mono48k, timestamp: time))
    }
    try await eventually("all are sent") { loop.sent.count == 5 }
    #expect(loop.sent.map(\.timestamp) == [0, 960, 1920, 48_000, 48_960])
  }

  @Test("the bitrate can be changed, the channels cannot")
  func reconfigure() async throws {
    let source = try AudioSource(.init(bitrate: 64_000))
    var settings = source.settings
    settings.bitrate = 16_000
    try source.reconfigure(settings)
    #expect(source.settings.bitrate == 16_000)
    settings.channels = 2
    #expect(throws: CodecError.self) { try source.reconfigure(settings) }
    #expect(throws: CodecError.self) { try AudioSource(.init(channels: 9)) }
    #expect(source.settings.channels == 1)
  }

  @Test("the expected loss follows the server's reports")
  func loss() async throws {
    let source = try AudioSource.tone(frequency: 440)
    let loop = Loop(source.track, codec: .opus)
    try await eventually("the settings' loss is expected") { source.statistics.expectedLoss == 5 }
    for (share, percent) in [(0.0, 0), (0.15, 20), (0.0, 20)] {
      loop.line.lossReported(share)
      try await eventually("\(percent) % is expected") { source.statistics.expectedLoss == percent }
    }
    #expect(source.settings.expectedLoss == 5)
  }

  @Test("with discontinuous transmission silence is not sent, and speech still is")
  func silence() async throws {
    let source = try AudioSource(.init(discontinuousTransmission: true))
    let loop = Loop(source.track, codec: .opus)
    var tone = ToneGenerator(frequency: 300, amplitude: 0.3, format: .mono48k)
    var time = MediaTime.zero
    for number in 0..<200 {
      let samples = number < 150 ? [Int16](repeating: 0, count: 960) : tone.next(960)
      source.push(AudioFrame(samples: samples, format: .mono48k, timestamp: time))
      time = time.advanced(milliseconds: 20)
      try await eventually("packet \(number) is encoded") { source.statistics.encoded > number }
    }
    // The encoder sends the first silence, and then comfort noise each 0.4 s.
    #expect(source.statistics.silent > 100)
    #expect(loop.sent.count == 200 - Int(source.statistics.silent))
    // A tone of more than half a second counts as noise.
    #expect(loop.sent.filter { $0.timestamp >= 150 * 960 }.count >= 25)
  }
}
