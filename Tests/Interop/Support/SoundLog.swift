import RoomCodecs
import RoomMedia

/// What was observed of a remote track with a tone.
struct SoundLog: Sendable {
  /// Number of samples in which a tone is detected: 200 ms, mono at 48 kHz.
  private static let window = 9600

  private var heard: [Int16] = []
  private var heardAt: ContinuousClock.Instant?

  mutating func hear(_ frame: AudioFrame) {
    heard = Array((heard + frame.samples).suffix(Self.window))
    heardAt = .now
  }

  /// Whether audio was received within the last 500 ms.
  var isFresh: Bool { heardAt.map { .now - $0 < .milliseconds(500) } ?? false }

  /// Returns whether the last 200 ms contain this tone, and none that differs by 40 Hz.
  func hears(_ frequency: Double) -> Bool {
    guard isFresh, heard.count == Self.window else { return false }
    func amplitude(_ frequency: Double) -> Double {
      ToneDetector.amplitude(of: frequency, in: heard, sampleRate: 48_000)
    }
    let tone = amplitude(frequency)
    return tone > 0.05 && amplitude(frequency - 40) < tone / 4 && amplitude(frequency + 40) < tone / 4
  }
}

extension AudioPlayback.Statistics {
  /// Returns the share of samples that were concealed.
  func gapShare(since start: Self) -> Double {
    let madeUp = concealedSamples - start.concealedSamples
    let real = samples - start.samples + recoveredSamples - start.recoveredSamples
    return Double(madeUp) / Double(max(1, madeUp + real))
  }
}
