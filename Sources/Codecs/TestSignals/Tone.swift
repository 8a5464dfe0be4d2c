import Foundation

/// A sine tone without clicks from block to block.
public struct ToneGenerator: Sendable {
  /// Hertz.
  public let frequency: Double
  /// Peak relative to full scale, 0…1.
  public let amplitude: Double
  public let format: AudioFormat
  private var phase = 0.0

  public init(frequency: Double, amplitude: Double = 0.3, format: AudioFormat = .mono48k) {
    self.frequency = frequency
    self.amplitude = min(max(amplitude, 0), 1)
    self.format = format
  }

  /// The next samples, equal in all channels.
  /// - Parameter frameCount: samples per channel.
  public mutating func next(_ frameCount: Int) -> [Int16] {
    let step = 2 * Double.pi * frequency / Double(format.sampleRate)
    var samples: [Int16] = []
    samples.reserveCapacity(frameCount * format.channels)
    for _ in 0..<frameCount {
      let value = Int16(sin(phase) * amplitude * 32767)
      for _ in 0..<format.channels { samples.append(value) }
      phase += step
      if phase > 2 * Double.pi { phase -= 2 * Double.pi }
    }
    return samples
  }
}

/// Finds tones in PCM by Goertzel's algorithm.
public enum ToneDetector {
  /// How much of a tone there is: its peak amplitude relative to full scale, 0…1.
  /// - Parameter samples: one channel; 20 ms resolve about 50 Hz, 200 ms about 5.
  public static func amplitude(of frequency: Double, in samples: some Collection<Int16>, sampleRate: Int) -> Double {
    guard !samples.isEmpty else { return 0 }
    let count = Double(samples.count)
    let coefficient = 2 * cos(2 * Double.pi * frequency / Double(sampleRate))
    var previous = 0.0
    var beforeThat = 0.0
    var index = 0.0
    for sample in samples {
      // A Hann window keeps neighbours out; its mean is one half.
      let window = 0.5 - 0.5 * cos(2 * Double.pi * (index + 0.5) / count)
      let value = Double(sample) / 32768 * window + coefficient * previous - beforeThat
      beforeThat = previous
      previous = value
      index += 1
    }
    let power = previous * previous + beforeThat * beforeThat - coefficient * previous * beforeThat
    return 4 * max(0, power).squareRoot() / count
  }

  /// The strongest tone, nil in silence.
  /// - Parameters:
  ///   - samples: one channel, at best 40…200 ms.
  ///   - range: where to look, in hertz.
  ///   - threshold: least amplitude, relative to full scale.
  public static func strongestTone(
    in samples: some Collection<Int16>, sampleRate: Int, range: ClosedRange<Double> = 100...4000, threshold: Double = 0.01
  ) -> (frequency: Double, amplitude: Double)? {
    guard !samples.isEmpty else { return nil }
    // Half of what the window resolves, so that no tone lies between two looks.
    let step = Double(sampleRate) / Double(samples.count)
    var best = (frequency: 0.0, amplitude: 0.0)
    for coarse in stride(from: range.lowerBound, through: range.upperBound, by: step) {
      let found = amplitude(of: coarse, in: samples, sampleRate: sampleRate)
      if found > best.amplitude { best = (coarse, found) }
    }
    let centre = best.frequency
    for fine in stride(from: centre - step, through: centre + step, by: step / 8) {
      let found = amplitude(of: fine, in: samples, sampleRate: sampleRate)
      if found > best.amplitude { best = (fine, found) }
    }
    return best.amplitude >= threshold ? best : nil
  }
}
