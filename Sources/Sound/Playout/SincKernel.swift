import RoomCSound
import Foundation

/// The filters of a resampler for speeds near 1: a windowed sinc for each of 128 fractions of a sample.
///
/// At fraction 0 it copies the sample exactly.
struct SincKernel: Sendable {
  /// The number of neighbouring samples that a filter combines.
  static let taps = Int(stretching_taps)

  static let shared = SincKernel()

  /// A row of coefficients for each fraction and for 1, each coefficient twice for stereo.
  let rows: [Float]

  private init() {
    var rows: [Float] = []
    let phases = Int(stretching_phases)
    for phase in 0...phases {
      let fraction = Double(phase) / Double(phases)
      let row = (0..<Self.taps).map { tap -> Double in
        let x = Double(tap - (Self.taps / 2 - 1)) - fraction
        let sinc = abs(x) < 1e-9 ? 1 : sin(.pi * x) / (.pi * x)
        let w = x / Double(Self.taps / 2)
        // Blackman's window.
        return abs(w) >= 1 ? 0 : sinc * (0.42 + 0.5 * cos(.pi * w) + 0.08 * cos(2 * .pi * w))
      }
      let sum = row.reduce(0, +)
      rows += row.flatMap { [Float($0 / sum), Float($0 / sum)] }
    }
    self.rows = rows
  }
}
