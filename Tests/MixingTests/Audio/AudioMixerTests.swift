import RoomMixing
import RoomRTP
import Testing

@Suite("The audio mixer")
struct AudioMixerTests {
  private static let block = 960

  /// Returns an input with a constant level for a number of blocks.
  private func input(_ level: Int16, blocks: Int = 50) -> AudioInput {
    let input = AudioInput(capacity: 2000)
    for index in 0..<blocks {
      input.write([Int16](repeating: level, count: Self.block * 2), at: MediaTime(microseconds: Int64(index) * 20_000))
    }
    return input
  }

  private func run(_ mixer: AudioMixer<String>, _ blocks: Range<Int>) -> [Int16] {
    blocks.flatMap { index in
      mixer.advance(to: Int64(index * Self.block), count: Self.block)
      return mixer.mix()
    }
  }

  @Test("sources are summed, each with its gain")
  func sum() {
    let mixer = AudioMixer<String>()
    mixer.add("a", input(1000))
    mixer.add("b", input(3000), gain: 0.5)
    let samples = run(mixer, 0..<10)
    #expect(samples.suffix(1000).allSatisfy { $0 == 2500 })
  }

  @Test("without sources the mix is silent")
  func silence() {
    #expect(run(AudioMixer<String>(), 0..<2).allSatisfy { $0 == 0 })
  }

  @Test("each participant gets the mix without their own audio")
  func others() {
    let mixer = AudioMixer<String>()
    for (name, level) in [("a", 1000), ("b", 2000), ("c", 4000)] { mixer.add(name, input(Int16(level))) }
    _ = run(mixer, 0..<9)
    mixer.advance(to: Int64(9 * Self.block), count: Self.block)
    #expect(mixer.mix(without: "a").allSatisfy { $0 == 6000 })
    #expect(mixer.mix(without: "b").allSatisfy { $0 == 5000 })
    #expect(mixer.mix(without: "c").allSatisfy { $0 == 3000 })
    #expect(mixer.mix(without: "nobody").allSatisfy { $0 == 7000 })
  }

  @Test("joins, mutes and cuts are faded: no step between samples is larger than that of the fade")
  func noClicks() {
    let mixer = AudioMixer<String>()
    mixer.add("a", input(20_000))
    var samples = run(mixer, 0..<5)
    mixer.setGain(0, of: "a")
    samples += run(mixer, 5..<10)
    #expect(samples.suffix(100).allSatisfy { $0 == 0 })
    mixer.setGain(1, of: "a")
    samples += run(mixer, 10..<15)
    mixer.remove("a")
    samples += run(mixer, 15..<20)
    #expect(samples.suffix(100).allSatisfy { $0 == 0 })
    #expect(mixer.sources.isEmpty)
    let left = stride(from: 0, to: samples.count, by: 2).map { Int(samples[$0]) }
    let largest = zip(left, left.dropFirst()).map { abs($1 - $0) }.max() ?? 0
    // At most 5 ms from silence to full level, as short as the input's own fade.
    #expect(largest <= 20_000 / 240 + 2, "\(largest)")
  }

  @Test("sixteen loud sources stay within range, without overflow or clipping")
  func limit() {
    let mixer = AudioMixer<Int>()
    for index in 0..<16 {
      let input = AudioInput(capacity: 2000)
      // A slow triangle wave with an amplitude of 20,000.
      for block in 0..<50 {
        var samples: [Int16] = []
        for sample in 0..<Self.block {
          let phase = (block * Self.block + sample) % 480
          let value = Int16(phase < 240 ? -20_000 + phase * 166 : 20_000 - (phase - 240) * 166)
          samples += [value, value]
        }
        input.write(samples, at: MediaTime(microseconds: Int64(block) * 20_000))
      }
      mixer.add(index, input)
    }
    var samples: [Int16] = []
    for index in 0..<40 {
      mixer.advance(to: Int64(index * Self.block), count: Self.block)
      samples += mixer.mix()
    }
    let settled = samples.suffix(20 * Self.block * 2)
    #expect(settled.allSatisfy { abs(Int($0)) <= 29_300 })
    #expect((settled.max() ?? 0) > 25_000)
    // A flat top would repeat its value for many samples.
    let left = stride(from: settled.startIndex, to: settled.endIndex, by: 2).map { settled[$0] }
    let longest = left.reduce(into: (last: Int16.min, run: 0, longest: 0)) { state, value in
      state.run = value == state.last ? state.run + 1 : 1
      state.last = value
      state.longest = max(state.longest, state.run)
    }.longest
    #expect(longest < 24, "\(longest)")
  }

  @Test("an invalid gain leaves the audio unchanged")
  func strangeGain() {
    let mixer = AudioMixer<String>()
    mixer.add("a", input(1000), gain: .nan)
    mixer.add("b", input(1000), gain: -5)
    #expect(run(mixer, 0..<10).suffix(100).allSatisfy { $0 == 1000 })
  }
}
