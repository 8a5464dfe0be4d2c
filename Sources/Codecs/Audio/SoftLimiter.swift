/// Limits a sum of sources to 16 bits. The gain drops at once for a peak that exceeds the range and recovers slowly, so that
/// loud passages become quieter instead of distorted. Stereo, 48 kHz.
public struct SoftLimiter: Sendable {
  /// The limit for peaks: -1 dB of full scale.
  private static let ceiling: Float = 29_204
  /// The factor per sample by which the gain recovers: about 200 ms for 6 dB.
  private static let release: Float = 1.000_072
  /// The number of samples over which the gain drops before a peak: 1 ms.
  private static let lookahead = 48

  private var gain: Float = 1

  /// Creates a limiter with a gain of 1.
  public init() {}

  /// Returns interleaved stereo samples of any amplitude limited to the valid range.
  public mutating func process(_ samples: [Float]) -> [Int16] {
    // The common case: nothing is near the ceiling, and nothing was recently.
    if gain == 1, !samples.contains(where: { abs($0) > Self.ceiling }) { return samples.map(Self.whole) }
    let count = samples.count / 2
    var wanted = [Float](repeating: 1, count: count)
    for index in 0..<count {
      let peak = max(abs(samples[index * 2]), abs(samples[index * 2 + 1]))
      if peak > Self.ceiling { wanted[index] = Self.ceiling / peak }
    }
    // Backwards: a peak affects the samples before it, so that the gain drops smoothly.
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
