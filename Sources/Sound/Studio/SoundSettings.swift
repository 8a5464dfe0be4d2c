import Foundation

/// What a studio does, as one value that can be replaced at any time. Changes take effect in the next frame, without a click.
public struct SoundSettings: Sendable, Equatable {
  /// A channel of the input.
  public struct Channel: Sendable, Hashable {
    /// The gain in dB, -96…24.
    public var gain: Double
    /// Whether the channel is left out of the output and of the ear return.
    public var isMuted: Bool
    /// Whether the effects are applied to the channel. Music of a file usually has none.
    public var hasEffects: Bool

    public init(gain: Double = 0, isMuted: Bool = false, hasEffects: Bool = true) {
      self.gain = gain
      self.isMuted = isMuted
      self.hasEffects = hasEffects
    }
  }

  /// What the speaker hears of the own sound.
  public enum EarReturn: Sendable, Hashable {
    /// Nothing.
    case off
    /// The mix before the effects.
    case dry
    /// What the encoder gets.
    case processed
  }

  /// The channels by name. One that is not named here has a gain of 0 dB and effects.
  public var channels: [String: Channel]
  /// The effects in order, at most ``EffectChain/most``.
  public var effects: [Effect]
  /// The gain of the output in dB, -96…24.
  public var gain: Double
  /// What the speaker hears of the own sound.
  public var earReturn: EarReturn
  /// The gain of the ear return in dB, -96…24.
  public var earGain: Double
  /// Echo cancellation and noise suppression of ``voiceChannel``; nil for none.
  public var voice: VoiceProcessing.Settings?
  /// The channel that is processed as a voice.
  public var voiceChannel: String

  public init(
    channels: [String: Channel] = [:], effects: [Effect] = [], gain: Double = 0, earReturn: EarReturn = .off,
    earGain: Double = 0, voice: VoiceProcessing.Settings? = nil, voiceChannel: String = "microphone"
  ) {
    self.channels = channels
    self.effects = effects
    self.gain = gain
    self.earReturn = earReturn
    self.earGain = earGain
    self.voice = voice
    self.voiceChannel = voiceChannel
  }
}

/// The level of a block of sound.
public struct SoundLevel: Sendable, Hashable {
  /// The root mean square relative to full scale, 0…1; more before the limiter.
  public var rms: Double = 0
  /// The largest sample relative to full scale.
  public var peak: Double = 0

  /// The level of silence.
  public init() {}

  init(_ samples: [Float]) {
    guard !samples.isEmpty else { return }
    var (sum, peak): (Float, Float) = (0, 0)
    for sample in samples {
      sum += sample * sample
      peak = max(peak, abs(sample))
    }
    rms = Double((sum / Float(samples.count)).squareRoot()) / 32_768
    self.peak = Double(peak) / 32_768
  }

  /// The root mean square in dB relative to full scale, -127…0.
  public var decibels: Double { rms > 0 ? min(0, max(-127, 20 * log10(rms))) : -127 }
}
