/// Repeats the sound after a delay, each time quieter.
public final class Echo: SoundEffect {
  /// The parameters of an echo. Values out of range are clamped.
  public struct Parameters: Sendable, Hashable {
    /// The time between repetitions in ms, 1…2 000.
    public var delay: Double
    /// The level of each repetition relative to the previous one, 0…0.95.
    public var feedback: Double
    /// The level of the first repetition relative to the sound, 0…1.
    public var mix: Double

    public init(delay: Double = 250, feedback: Double = 0.35, mix: Double = 0.4) {
      self.delay = delay.isFinite ? min(max(delay, 1), 2000) : 250
      self.feedback = feedback.isFinite ? min(max(feedback, 0), 0.95) : 0
      self.mix = mix.isFinite ? min(max(mix, 0), 1) : 0
    }
  }

  private var line: [Float]
  private var index = 0
  private let feedback: Float
  private let mix: Float

  /// Creates an echo with an empty delay line.
  public init(_ parameters: Parameters = .init()) {
    line = [Float](repeating: 0, count: max(1, Int((parameters.delay * 48).rounded())) * 2)
    feedback = Float(parameters.feedback)
    mix = Float(parameters.mix)
  }

  public func process(_ samples: inout [Float]) {
    var index = index
    let (feedback, mix) = (feedback, mix)
    line.withUnsafeMutableBufferPointer { line in
      for position in samples.indices {
        let delayed = line[index]
        // The small constant keeps the decay out of the slow denormal numbers.
        line[index] = samples[position] + feedback * delayed + 1e-18
        samples[position] += mix * delayed
        index = index + 1 == line.count ? 0 : index + 1
      }
    }
    self.index = index
  }
}
