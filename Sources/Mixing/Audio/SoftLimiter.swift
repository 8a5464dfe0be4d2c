/// Keeps a sum of sounds within 16 bits: the gain goes down at once where a peak would not fit, and comes back slowly, so that loud passages
/// are quieter and not distorted. Stereo, 48 kHz.
public struct SoftLimiter: Sendable {
  /// Peaks above this are turned down: -1 dB of full scale.
  private static let ceiling: Float = 29_204
  /// The gain comes back by this factor a sample: about 200 ms for 6 dB.
  private static let release: Float = 1.000_072
  /// Before a peak the gain goes down over so many samples: 1 ms.
  private static let lookahead = 48

  private var gain: Float = 1

  /// The gain is 1.
  public init() {}

  /// Takes interleaved stereo samples of any size and gives them within range.
  public mutating func process(_ samples: [Float]) -> [Int16] {
    // Nothing is near the ceiling, nor was: as a rule.
    if gain == 1, !samples.contains(where: { abs($0) > Self.ceiling }) { return samples.map(Self.whole) }
    let count = samples.count / 2
    var wanted = [Float](repeating: 1, count: count)
    for index in 0..<count {
      let peak = max(abs(samples[index * 2]), abs(samples[index * 2 + 1]))
      if peak > Self.ceiling { wanted[index] = Self.ceiling / peak }
    }
    // Backwards: a peak casts its shadow on the samples before it, so that the gain glides down to it.
    var next: Float = 1
    for index in stride(from: count - 1, through: 0, by: -1) {
      next = min(wanted[index], next + (1 - next) / Float(Self.lookahead))
      wanted[index] = next
    }
    var output = [Int16](repeating: 0, count: samples.count)
    for index in 0..<count {
      gain = min(min(gain * Self.release, 1), wanted[index])
      output[index * 2] = Self.whole(samples[index * 2] * gain)
      output[index * 2 + 1] = Self.whole(samples[index * 2 + 1] * gain)
    }
    return output
  }

  private static func whole(_ sample: Float) -> Int16 { Int16(max(-32_768, min(32_767, sample.rounded()))) }
}
