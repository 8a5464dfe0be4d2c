import Foundation

/// Detects tones in PCM with Goertzel's algorithm.
public enum ToneDetector {
  /// Returns the peak amplitude of a tone relative to full scale, 0…1.
  /// - Parameter samples: One channel. 20 ms resolve about 50 Hz, 200 ms about 5 Hz.
  public static func amplitude(of frequency: Double, in samples: some Collection<Int16>, sampleRate: Int) -> Double {
    windowed(Array(samples)[...]).withUnsafeBufferPointer { goertzel($0, frequency, sampleRate) }
  }

  /// Returns the strongest tone; nil for silence.
  /// - Parameters:
  ///   - samples: One channel, ideally 40…200 ms.
  ///   - range: The frequencies to search, in Hz.
  ///   - threshold: The minimum amplitude relative to full scale.
  public static func strongestTone(
    in samples: some Collection<Int16>, sampleRate: Int, range: ClosedRange<Double> = 100...4000, threshold: Double = 0.01
  ) -> (frequency: Double, amplitude: Double)? {
    let samples = Array(samples)
    guard !samples.isEmpty, sampleRate > 0 else { return nil }
    // Searching the whole range in the fine steps of a long window would cost four times as much as searching with short blocks
    // first.
    let part = min(samples.count, sampleRate / 20)
    let parts = stride(from: 0, through: samples.count - part, by: part).map { windowed(samples[$0..<$0 + part]) }
    let coarse = Double(sampleRate) / Double(part)
    let rough = strongest(in: parts, at: stride(from: range.lowerBound, through: range.upperBound, by: coarse), sampleRate)

    let whole = [windowed(samples[...])]
    let fine = Double(sampleRate) / Double(samples.count)
    let near = strongest(in: whole, at: stride(from: rough - coarse, through: rough + coarse, by: fine), sampleRate)
    let exact = strongest(in: whole, at: stride(from: near - fine, through: near + fine, by: fine / 8), sampleRate)
    let amplitude = whole[0].withUnsafeBufferPointer { goertzel($0, exact, sampleRate) }
    return amplitude >= threshold ? (exact, amplitude) : nil
  }

  /// Returns the one of `frequencies` with the largest sum of amplitudes over all blocks.
  private static func strongest(in blocks: [[Double]], at frequencies: StrideThrough<Double>, _ sampleRate: Int) -> Double {
    var best = (frequency: 0.0, amplitude: -1.0)
    for frequency in frequencies {
      var sum = 0.0
      for block in blocks {
        sum += block.withUnsafeBufferPointer { goertzel($0, frequency, sampleRate) }
      }
      if sum > best.amplitude { best = (frequency, sum) }
    }
    return best.frequency
  }

  /// Returns samples as −1…1 with a Hann window, which suppresses neighbouring frequencies.
  private static func windowed(_ samples: ArraySlice<Int16>) -> [Double] {
    let step = 2 * Double.pi / Double(max(1, samples.count))
    var phase = step / 2
    return samples.map { sample in
      defer { phase += step }
      return Double(sample) / 32768 * (0.5 - 0.5 * cos(phase))
    }
  }

  private static func goertzel(_ samples: UnsafeBufferPointer<Double>, _ frequency: Double, _ sampleRate: Int) -> Double {
    guard !samples.isEmpty else { return 0 }
    let coefficient = 2 * cos(2 * Double.pi * frequency / Double(sampleRate))
    var previous = 0.0
    var beforeThat = 0.0
    var index = 0
    // A plain loop, because this also runs in unoptimized tests.
    while index < samples.count {
      let value = samples[index] + coefficient * previous - beforeThat
      beforeThat = previous
      previous = value
      index += 1
    }
    let power = previous * previous + beforeThat * beforeThat - coefficient * previous * beforeThat
    // The window's mean is 0.5, and half of a tone's power is at the mirrored frequency.
    return 4 * max(0, power).squareRoot() / Double(samples.count)
  }
}
