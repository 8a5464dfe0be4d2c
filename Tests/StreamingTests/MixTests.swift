import RoomCodecs
import RoomProtocol
import RoomRTP
import Testing

@testable import RoomStreaming

@Suite("Streaming: a mix in the client")
struct MixTests {
  /// Returns the amplitude of a tone in stereo samples at 48 kHz, 0…1.
  private func level(_ frequency: Double, in samples: [Int16]) -> Double {
    ToneDetector.amplitude(of: frequency, in: stride(from: 0, to: samples.count, by: 2).map { samples[$0] }, sampleRate: 48_000)
  }

  @Test("the pushed sound is heard with the remote one, however unevenly that arrives, until it is removed")
  func sounds() throws {
    let mixer = PacedMixer()
    var own = ToneGenerator(frequency: 500, amplitude: 0.2, format: .mono48k)
    var other = ToneGenerator(frequency: 1500, amplitude: 0.2, format: .stereo48k)
    var sum: [Int16] = []
    for block in 0..<200 {
      // Three packets of 20 ms at once, every 60 ms.
      if block % 3 == 0 { for _ in 0..<3 { mixer.write(other.next(960), of: "remote") } }
      let time = MediaTime(microseconds: Int64(block) * 20_000)
      let mixed = try mixer.sum(with: AudioFrame(samples: own.next(960), format: .mono48k, timestamp: time))
      #expect(mixed.timestamp == time && mixed.format == .stereo48k && mixed.frameCount == 960)
      if block >= 100 { sum += mixed.samples }
    }
    #expect(abs(level(500, in: sum) - 0.2) < 0.01)
    #expect(abs(level(1500, in: sum) - 0.2) < 0.01, "a gap or a jump would lower the level of the tone")

    mixer.remove("remote")
    var alone: [Int16] = []
    for block in 0..<50 {
      let mixed = try mixer.sum(with: AudioFrame(samples: own.next(960), format: .mono48k))
      if block >= 10 { alone += mixed.samples }
    }
    #expect(abs(level(500, in: alone) - 0.2) < 0.01 && level(1500, in: alone) < 0.005)
  }

  @Test("remote sound that stops and returns is heard again, and never piles up")
  func pause() throws {
    let mixer = PacedMixer()
    let silence = AudioFrame(samples: [Int16](repeating: 0, count: 960), format: .mono48k)
    var other = ToneGenerator(frequency: 1000, format: .stereo48k)
    var heard: [Double] = []
    for block in 0..<400 {
      // Twice as fast as the pace in the first second, nothing in the next two.
      let count = block < 50 ? 2 : block < 150 ? 0 : 1
      for _ in 0..<count { mixer.write(other.next(960), of: "remote") }
      heard.append(AudioFrame(samples: try mixer.sum(with: silence).samples, format: .stereo48k).level)
    }
    #expect(heard[80..<150].allSatisfy { $0 == 0 }, "at most 400 ms wait")
    #expect(heard[160..<400].allSatisfy { $0 > 0.1 })
  }

  @Test("the canvas must have an even, supported size; the camera fills it by default")
  func canvas() throws {
    let placements = try StreamingMix(width: 720, height: 1280).composition().placements
    #expect(placements.map(\.source) == [.camera])
    #expect(placements[0].frame.width == 720 && placements[0].frame.height == 1280)
    let small = StreamingMix(width: 720, height: 1280, camera: .init(x: 10, y: 20, width: 30, height: 40))
    #expect(try small.composition().placements[0].frame.y == 20)
    #expect(throws: CodecError.self) { try StreamingMix(width: 721, height: 1280).composition() }
    #expect(throws: CodecError.self) { try StreamingMix(width: 0, height: 0).composition() }
  }
}
