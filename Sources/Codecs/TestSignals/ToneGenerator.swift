import Foundation

/// Generates a sine tone that is continuous between blocks.
public struct ToneGenerator: Sendable {
  /// The frequency in Hz.
  public let frequency: Double
  /// The peak amplitude relative to full scale, 0…1.
  public let amplitude: Double
  /// The format of the samples.
  public let format: AudioFormat
  private var phase = 0.0

  /// `amplitude` is clamped to 0…1.
  public init(frequency: Double, amplitude: Double = 0.3, format: AudioFormat = .mono48k) {
    self.frequency = frequency
    self.amplitude = min(max(amplitude, 0), 1)
    self.format = format
  }

  /// Returns the next samples, equal in all channels.
  /// - Parameter frameCount: The number of samples per channel.
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
