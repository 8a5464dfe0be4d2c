import RoomSound
import Foundation
import Testing

@Suite("Sound effects")
struct EffectTests {
  private static let block = 960

  /// Runs samples through a chain in blocks of 20 ms.
  private func run(_ samples: [Float], _ change: (Int) -> [Effect]) -> [Float] {
    let chain = EffectChain()
    return stride(from: 0, to: samples.count, by: Self.block * 2).enumerated().flatMap { index, start -> [Float] in
      var block = Array(samples[start..<min(start + Self.block * 2, samples.count)])
      chain.replace(with: change(index))
      chain.process(&block)
      return block
    }
  }

  /// Returns the time in which the tail of an impulse decays by 60 dB, from the decay between -5 and -35 dB (Schroeder).
  private func decayTime(_ tail: [Float]) -> Double {
    var energy: Float = 0
    let remaining = tail.reversed().map { sample -> Float in
      energy += sample * sample
      return energy
    }
    let curve = Array(remaining.reversed())
    let start = curve[0]
    let upper = curve.firstIndex { 10 * log10($0 / start) < -5 } ?? 0
    let lower = curve.firstIndex { 10 * log10($0 / start) < -35 } ?? 0
    return Double(lower - upper) / 48_000 * 2
  }

  @Test("a reverb decays by 60 dB in the time of its setting", arguments: [0.4, 1, 1.8])
  func reverb(seconds: Double) {
    var impulse = [Float](repeating: 0, count: Int(seconds * 1.5 * 48_000) * 2)
    impulse[0] = 30_000
    impulse[1] = 30_000
    let reverb = Reverb(.init(decayTimeAt0Hz: seconds, decayTimeAtNyquist: seconds, mix: 1))
    reverb.process(&impulse)
    let measured = decayTime(Signals.left(impulse))
    #expect(abs(measured / seconds - 1) < 0.2, "\(measured) s")
  }

  @Test("high frequencies decay faster than low ones, as set")
  func damping() {
    func decay(_ frequency: Double) -> Double {
      var burst = Signals.sine(frequency, 10_000, count: 4800) + [Float](repeating: 0, count: 2 * 72_000)
      Reverb(.init(decayTimeAt0Hz: 1.5, decayTimeAtNyquist: 0.3, mix: 1)).process(&burst)
      return decayTime(Array(Signals.left(burst)[4800...]))
    }
    let (low, high) = (decay(200), decay(20_000))
    #expect(abs(low / 1.5 - 1) < 0.2, "\(low) s")
    #expect(abs(high / 0.3 - 1) < 0.3, "\(high) s")
  }

  @Test("the presets differ in the loudness and the length of their tails")
  func presets() {
    let tails = [Reverb.Parameters.low, .medium, .high].map { parameters -> Double in
      var burst = Signals.noise(10_000, count: 9600, seed: 7) + [Float](repeating: 0, count: 48_000)
      Reverb(parameters).process(&burst)
      return Signals.decibels(burst[(9600 + 24_000) * 2 - 9600..<(9600 + 24_000) * 2])
    }
    #expect(tails[0] + 6 < tails[1] && tails[1] + 6 < tails[2], "\(tails)")
  }

  @Test("an echo repeats a click after its delay, at its level, and each time quieter")
  func echo() {
    var samples = [Float](repeating: 0, count: 48_000 * 2)
    samples[0] = 10_000
    Echo(.init(delay: 200, feedback: 0.5, mix: 0.4)).process(&samples)
    let left = Signals.left(samples)
    #expect(left[0] == 10_000)
    #expect(abs(left[9600] - 4000) < 1)
    #expect(abs(left[19_200] - 2000) < 1)
    #expect(abs(left[28_800] - 1000) < 1)
    #expect(left.filter { abs($0) > 0.1 }.count < 8)
  }

  @Test("a gain is exact", arguments: [-40, -6, 0, 6, 20] as [Double])
  func gain(decibels: Double) {
    let samples = Signals.sine(1000, 1000, count: 4800)
    let changed = run(samples) { _ in [.gain(decibels)] }
    let difference = Signals.decibels(changed.suffix(4800)) - Signals.decibels(samples.suffix(4800))
    #expect(abs(difference - decibels) < 0.001)
  }

  @Test("subnormal numbers keep their value in a process that links the library")
  func subnormals() throws {
    let text = "1e-310"
    #expect(try #require(Double(text)) * 2 > 0)
  }

  @Test("a pitch moves a tone by its semitones, at its level and without a gap", arguments: [-12, -4, 4, 12] as [Double])
  func pitch(semitones: Double) {
    let changed = run(Signals.sine(440, 8000, count: 96_000)) { _ in [.pitch(semitones)] }
    let tone = Signals.left(changed).suffix(48_000)
    let crossings = zip(tone, tone.dropFirst()).filter { $0 < 0 && $1 >= 0 }.count
    let expected = 440 * pow(2, semitones / 12)
    #expect(abs(Double(crossings) - expected) < expected * 0.02, "\(crossings) Hz")
    let level = Signals.decibels(Signals.sine(440, 8000, count: 4800))
    for start in stride(from: changed.count - 96_000, to: changed.count, by: 9600) {
      #expect(abs(Signals.decibels(changed[start..<start + 9600]) - level) < 3)
    }
    #expect(Pitch(semitones: semitones).delay < 250)
  }

  @Test("effects are added, changed and removed without a click")
  func changes() {
    let samples = Signals.sine(500, 8000, count: 48_000)
    let own = Signals.largestStep(samples)
    let chains: [[Effect]] = [
      [], [.gain(-12)], [.gain(-3), .echo(.init(delay: 30))], [.echo(.init(delay: 30)), .reverb(.high)], [.reverb(.low)], [],
    ]
    let changed = run(samples) { chains[min($0 / 8, chains.count - 1)] }
    // The wet paths add to the tone's amplitude; a cut would be a step of thousands.
    #expect(Signals.largestStep(changed) < own * 2.5, "\(Signals.largestStep(changed)) for \(own)")
    #expect(changed.suffix(1920) == samples.suffix(1920))
  }

  @Test("an effect that stays keeps its tail when another one is added")
  func tail() {
    var samples = [Float](repeating: 0, count: 48_000 * 2)
    samples[0] = 10_000
    let echo = Effect.echo(.init(delay: 200, feedback: 0, mix: 0.5))
    let changed = run(samples) { $0 < 5 ? [echo] : [echo, .gain(6)] }
    #expect(abs(Signals.left(changed)[9600] - 5000 * 1.9953) < 2)
  }

  @Test("an app's effect runs in its place")
  func custom() {
    final class Inverter: SoundEffect {
      func process(_ samples: inout [Float]) { for index in samples.indices { samples[index] = -samples[index] } }
    }
    let samples = Signals.sine(500, 8000, count: 4800)
    let changed = run(samples) { _ in [.custom(name: "inverter") { Inverter() }] }
    #expect(changed.suffix(960) == samples.suffix(960).map { -$0 })
  }
}
