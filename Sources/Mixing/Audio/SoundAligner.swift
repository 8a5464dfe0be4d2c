public import RoomRTP

/// Aligns a source's audio with the media clock's grid (``AudioInput``). Blocks are contiguous. If the source's clock drifts,
/// the audio is stretched by at most 0.5 %, which is inaudible. Audio that jumps is placed at its new position.
public struct SoundAligner: Sendable {
  /// A larger difference is a jump and not drift: 40 ms.
  private static let leap: Int64 = 1920
  /// A smaller difference is ignored: 0.5 ms.
  private static let tolerance: Int64 = 24

  /// The position of the next sample if the source continues; nil before the first one.
  public private(set) var end: Int64?
  /// The number of samples per channel added or removed.
  public private(set) var stretched: UInt64 = 0

  /// Creates an aligner without a position.
  public init() {}

  /// Returns the grid position of stereo samples at `time`, and the samples, of which some may have been added or removed.
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

  /// Resamples audio to a slightly different length with a Catmull-Rom spline through four neighbours.
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
