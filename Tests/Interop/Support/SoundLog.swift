import Codecs
import RoomMedia

/// What was heard of a remote track that carries a tone.
struct SoundLog: Sendable {
  /// Samples that a tone is sought in: 200 ms, mono at 48 kHz.
  private static let window = 9600

  private var heard: [Int16] = []
  private var heardAt: ContinuousClock.Instant?

  mutating func hear(_ frame: AudioFrame) {
    heard = Array((heard + frame.samples).suffix(Self.window))
    heardAt = .now
  }

  /// Something was heard within the last half second.
  var isFresh: Bool { heardAt.map { .now - $0 < .milliseconds(500) } ?? false }

  /// This tone was heard in the last 200 ms, and none 40 Hz beside it.
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
  /// Share of the samples that had to be made up.
  func gapShare(since start: Self) -> Double {
    let madeUp = concealedSamples - start.concealedSamples
    let real = samples - start.samples + recoveredSamples - start.recoveredSamples
    return Double(madeUp) / Double(max(1, madeUp + real))
  }
}
