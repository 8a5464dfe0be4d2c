public import RTP

/// Gives a source's sound its place on the media clock's grid (``AudioInput``): block follows block, and a clock that drifts against
/// the grid is followed by stretching the sound by at most 0.5 %, which nobody hears. What leaps is put where it belongs.
public struct SoundAligner: Sendable {
  /// Beyond this a difference is a leap and not a drift: 40 ms.
  private static let leap: Int64 = 1920
  /// Below this a difference is left alone: 0.5 ms.
  private static let tolerance: Int64 = 24

  /// Where the next sample belongs if the source goes on; nil before the first.
  public private(set) var end: Int64?
  /// Samples per channel added or taken away so far.
  public private(set) var stretched: UInt64 = 0

  /// Nothing has been placed.
  public init() {}

  /// Where stereo samples whose first belongs to `time` begin on the grid; they may have become a few more or less.
  public mutating func place(_ samples: [Int16], at time: MediaTime) -> (position: Int64, samples: [Int16]) {
    let count = samples.count / AudioInput.channels
    let wanted = AudioInput.position(of: time)
    guard let end, abs(wanted &- end) <= Self.leap else {
      self.end = wanted + Int64(count)
      return (wanted, samples)
    }
    let error = wanted - end
    guard abs(error) > Self.tolerance, count > 1 else {
      self.end = end + Int64(count)
      return (end, samples)
    }
    let most = max(1, Int64(count) / 200)
    let change = Int(min(max(error, -most), most))
    stretched += UInt64(abs(change))
    self.end = end + Int64(count + change)
    return (end, Self.stretched(samples, from: count, to: count + change))
  }

  /// The same sound in a few samples more or less: a curve through four neighbours (Catmull-Rom).
  private static func stretched(_ samples: [Int16], from count: Int, to target: Int) -> [Int16] {
    guard target > 1, count > 1 else { return samples }
    let channels = AudioInput.channels
    var output = [Int16](repeating: 0, count: target * channels)
    let step = Float(count - 1) / Float(target - 1)
    for index in 0..<target {
      let place = Float(index) * step
      let whole = min(Int(place), count - 1)
      let t = place - Float(whole)
      for channel in 0..<channels {
        func sample(_ offset: Int) -> Float {
          Float(samples[min(max(whole + offset, 0), count - 1) * channels + channel])
        }
        let (a, b, c, d) = (sample(-1), sample(0), sample(1), sample(2))
        let value = b + t / 2 * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
        output[index * channels + channel] = Int16(max(-32_768, min(32_767, value.rounded())))
      }
    }
    return output
  }
}
