import RoomCodecs
import RoomMediaTimeLiterals
import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomMixing

@Suite("Audio input")
struct AudioInputTests {
  private func left(_ samples: [Int16]) -> [Int16] { stride(from: 0, to: samples.count, by: 2).map { samples[$0] } }

  @Test("samples are read exactly as written, at their time")
  func exact() {
    let input = AudioInput()
    var generator = ToneGenerator(frequency: 500, format: .stereo48k)
    var written: [Int16] = []
    for packet in 0..<10 {
      let samples = generator.next(960)
      written += samples
      input.write(samples, at: MediaTime(microseconds: 1_000_000 + Int64(packet) * 20_000))
    }
    #expect(input.read(at: 47_000, count: 1000).allSatisfy { $0 == 0 })
    let read = input.read(at: 48_000, count: 9600)
    // Except for the fade-in at the start.
    #expect(read[480...] == written[480...])
  }

  @Test("a source that runs 100 ppm fast or slow for some minutes is followed without gaps", arguments: [100.0, -100.0])
  func drift(ppm: Double) throws {
    let minutes = TestLength.pick(5, long: 20)
    let packets = Int64(minutes * 3000)
    let input = AudioInput()
    var generator = ToneGenerator(frequency: 1000, format: .stereo48k)
    var position: Int64 = 0
    var heard: [Int16] = []
    var missing: UInt64 = 0
    for packet in 0..<packets {
      // The packet's true time on the server's clock.
      let time = MediaTime(microseconds: Int64(Double(packet) * 20_000 / (1 + ppm / 1e6)))
      input.write(generator.next(960), at: time)
      // The reader lags by 100 ms.
      let target = AudioInput.position(of: time.advanced(microseconds: -100_000))
      if packet == 50 { missing = input.counters.missing }
      guard target > position else { continue }
      let samples = input.read(at: position, count: Int(target - position))
      if packet > packets - 100 { heard += left(samples) }
      position = target
    }
    #expect(input.counters.missing == missing)
    #expect(input.counters.late == 0)
    #expect(abs(Int64(input.stretched) - Int64(288 * minutes)) < 300)
    let found = try #require(ToneDetector.strongestTone(in: heard.suffix(48_000), sampleRate: 48_000))
    #expect(abs(found.frequency - 1000) < 3)
  }

  @Test("a pause is silence with a fade-out and a fade-in")
  func pause() {
    let input = AudioInput()
    let loud = [Int16](repeating: 10_000, count: 960 * 2)
    input.write(loud, at: 0)
    input.write(loud, at: 500_000)
    let read = left(input.read(at: 0, count: 48_000))
    let steps = zip(read, read.dropFirst()).map { abs(Int($0) - Int($1)) }
    #expect(steps.max() ?? 0 < 100)
    #expect(read[5000] == 0)
    #expect(read[24_500] == 10_000)
  }

  @Test("samples that arrive after their time are dropped and counted")
  func late() {
    let input = AudioInput()
    let samples = [Int16](repeating: 1000, count: 960 * 2)
    input.write(samples, at: 0)
    _ = input.read(at: 0, count: 4800)
    input.write(samples, at: 20_000)
    #expect(input.counters.late == 960)
    input.write(samples, at: 100_000)
    #expect(input.read(at: 4800, count: 960).last == 1000)
  }

  @Test("samples far in the future are bounded")
  func flood() {
    let input = AudioInput(capacity: 200)
    let samples = [Int16](repeating: 1000, count: 960 * 2)
    _ = input.read(at: 0, count: 10)
    for packet in 0..<Int64(1000) { input.write(samples, at: MediaTime(microseconds: packet * 20_000)) }
    #expect(input.counters.early > 900_000)
    #expect(input.read(at: 10, count: 960).last == 1000)
  }

  @Test("any times are accepted")
  func anyTime() {
    let input = AudioInput(capacity: 100)
    var random = SeededGenerator(seed: 3)
    var position: Int64 = 0
    for _ in 0..<300 {
      let count = Int.random(in: 0...3000, using: &random)
      input.write(
        (0..<count).map { _ in Int16.random(in: .min ... .max, using: &random) },
        at: MediaTime(microseconds: .random(in: -10_000_000_000...10_000_000_000, using: &random)))
      position += Int64.random(in: 0...10_000, using: &random)
      #expect(input.read(at: position, count: 480).count == 960)
    }
  }
}
