import Foundation

/// Multiplies all samples.
public final class Gain: SoundEffect {
  private let factor: Float

  /// - Parameter decibels: -96…24; values out of range are clamped.
  public init(decibels: Double) { factor = Self.factor(decibels) }

  public func process(_ samples: inout [Float]) {
    for index in samples.indices { samples[index] *= factor }
  }

  /// Returns the factor of a gain in dB, clamped to -96…24; 0 dB if it is not a number.
  static func factor(_ decibels: Double) -> Float {
    guard !decibels.isNaN else { return 1 }
    return Float(pow(10, min(max(decibels, -96), 24) / 20))
  }
}
