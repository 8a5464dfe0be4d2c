import RoomCodecs
import RoomTestSupport
import Foundation

/// Stereo test signals at 48 kHz, in the scale of 16-bit samples.
enum Signals {
  static func sine(_ frequency: Double, _ amplitude: Double, count: Int, from start: Int = 0) -> [Float] {
    (start..<start + count).flatMap { index -> [Float] in
      let sample = Float(amplitude * sin(2 * .pi * frequency * Double(index) / 48_000))
      return [sample, sample]
    }
  }

  static func noise(_ amplitude: Float, count: Int, seed: UInt64) -> [Float] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).flatMap { _ -> [Float] in
      let sample = Float.random(in: -amplitude...amplitude, using: &random)
      return [sample, sample]
    }
  }

  /// Noise in syllables of 200 ms with pauses of 100 ms, lowpass like speech.
  static func speech(_ amplitude: Float, count: Int, seed: UInt64) -> [Float] {
    var random = SeededGenerator(seed: seed)
    var smooth: Float = 0
    return (0..<count).flatMap { index -> [Float] in
      smooth += 0.2 * (Float.random(in: -amplitude...amplitude, using: &random) - smooth)
      let place = index % 14_400
      let envelope = place < 9600 ? Float(sin(.pi * Double(place) / 9600)) : 0
      return [smooth * envelope * 2, smooth * envelope * 2]
    }
  }

  static func whole(_ samples: [Float]) -> [Int16] { samples.map { Int16(max(-32_768, min(32_767, $0.rounded()))) } }

  static func frame(_ samples: [Float]) -> AudioFrame { AudioFrame(samples: whole(samples), format: .stereo48k) }

  static func left(_ samples: [Float]) -> [Float] { stride(from: 0, to: samples.count, by: 2).map { samples[$0] } }
  static func left(_ samples: [Int16]) -> [Int16] { stride(from: 0, to: samples.count, by: 2).map { samples[$0] } }

  static func decibels(_ samples: some Collection<Float>) -> Double {
    var sum = 1e-9
    for sample in samples { sum += Double(sample) * Double(sample) }
    return 10 * log10(sum / Double(max(1, samples.count)))
  }

  /// The largest difference between neighbouring samples of the left channel.
  static func largestStep(_ samples: [Float]) -> Float {
    let left = left(samples)
    return zip(left, left.dropFirst()).reduce(0) { max($0, abs($1.1 - $1.0)) }
  }
}
