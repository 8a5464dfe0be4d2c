import RoomSound
import RoomTestSupport
import Foundation
import Testing

@Suite("A playout between two clocks")
struct ClockMatchedPlayoutTests {
  /// A 1 kHz tone in blocks of 10 ms, each a whole number of periods.
  private static let tone = Signals.whole(Signals.sine(1000, 10_000, count: 480))

  @Test("minutes of a clock that is 200 ppm off: no underrun, no click, the same level", arguments: [-200, 200])
  func drift(ppm: Int) {
    var playout = ClockMatchedPlayout(.init(target: 40))
    var random = SeededGenerator(seed: 5)
    var block = [Float](repeating: 0, count: 960)
    var (step, queued): (Float, ClosedRange<Int64>) = (0, 40_000...40_000)
    var last: Float = 0
    var levels: [Double] = []
    // When the source's next block is due, and when it arrives: up to 15 ms later.
    var (due, arrival) = (0.0, 0.0)
    // Without a match, the clocks part by the target within 200 s.
    for index in 0..<TestLength.pick(24_000, long: 60_000) {
      let now = Double(index) * 10_000
      while arrival <= now {
        playout.write(Self.tone)
        due += 10_000 * (1 + Double(ppm) / 1_000_000)
        arrival = due + Double.random(in: 0..<15_000, using: &random)
      }
      let isPlaying = playout.read(&block)
      guard index > 100 else {
        last = block[958]
        continue
      }
      #expect(isPlaying)
      block.withUnsafeBufferPointer { block in
        for frame in 0..<480 {
          let sample = block[2 * frame]
          step = max(step, abs(sample - last))
          last = sample
        }
      }
      queued = min(queued.lowerBound, playout.queued)...max(queued.upperBound, playout.queued)
      if index % 500 == 0 { levels.append(Signals.decibels(block)) }
    }
    #expect(playout.counters.underruns == 0 && playout.counters.skips == 0 && playout.counters.refused == 0)
    // The tone's own largest step: 10 000 × 2π × 1000 / 48 000 = 1309.
    #expect(step < 1309 * 1.02, "\(step)")
    #expect(queued.lowerBound > 10_000 && queued.upperBound < 65_000, "\(queued) µs")
    let level = Signals.decibels(Signals.sine(1000, 10_000, count: 480))
    #expect(levels.allSatisfy { abs($0 - level) < 0.1 })
  }

  @Test("without drift the samples are exact")
  func exact() {
    var playout = ClockMatchedPlayout(.init(target: 20))
    var block = [Float](repeating: 0, count: 960)
    var output: [Float] = []
    for _ in 0..<50 {
      playout.write(Self.tone)
      playout.read(&block)
      output += block
    }
    #expect(Signals.whole(output.suffix(960)).max() == Self.tone.max())
    #expect(playout.speed == 1)
    #expect(Set(Signals.whole(output.suffix(960))).isSubset(of: Set(Self.tone)))
  }

  @Test("a source that stops fades to silence, and returns without a click")
  func underrun() {
    var playout = ClockMatchedPlayout(.init(target: 20))
    var block = [Float](repeating: 0, count: 960)
    var output: [Float] = []
    for index in 0..<100 {
      if !(40..<60).contains(index) { playout.write(Self.tone) }
      playout.read(&block)
      output += block
    }
    #expect(playout.counters.underruns == 1)
    #expect(Signals.largestStep(output) < 1309 * 1.2)
    #expect(output[50 * 960..<58 * 960].allSatisfy { $0 == 0 })
    #expect(Signals.decibels(output.suffix(9600)) > 70)
  }

  @Test("a burst beyond the limit skips to the target within a crossfade, and is counted")
  func skip() {
    var playout = ClockMatchedPlayout(.init(target: 20, limit: 100))
    var block = [Float](repeating: 0, count: 960)
    var output: [Float] = []
    for index in 0..<100 {
      for _ in 0..<(index == 50 ? 15 : 1) { playout.write(Self.tone) }
      playout.read(&block)
      output += block
    }
    #expect(playout.counters.skips == 1)
    #expect(playout.counters.skipped > 4800)
    #expect(playout.queued < 40_000)
    #expect(Signals.largestStep(output) < 1309 * 1.2)
  }

  @Test("without a reader the memory is bounded, and the rest is counted")
  func bounded() {
    var playout = ClockMatchedPlayout(.init(target: 20, limit: 100))
    for _ in 0..<100 { playout.write(Self.tone) }
    #expect(playout.queued <= 201_000)
    #expect(playout.counters.refused > 30_000)
  }

  @Test("tones keep their level at any fraction of a sample", arguments: [100, 1000, 8000, 16_000] as [Double])
  func response(frequency: Double) {
    var playout = ClockMatchedPlayout(.init(target: 40))
    var block = [Float](repeating: 0, count: 960)
    var levels: [Double] = []
    let level = Signals.decibels(Signals.sine(frequency, 10_000, count: 48_000))
    for index in 0..<300 {
      // A source that is 0.25 % fast.
      let count = index % 5 == 0 ? 486 : 480
      playout.write(Signals.whole(Signals.sine(frequency, 10_000, count: count, from: index * 480 + (index + 4) / 5 * 6)))
      playout.read(&block)
      if index > 100 { levels.append(Signals.decibels(block)) }
    }
    #expect(playout.speed > 1.0005)
    #expect(levels.allSatisfy { abs($0 - level) < 0.5 }, "\(levels.min() ?? 0)…\(levels.max() ?? 0) for \(level)")
  }
}
