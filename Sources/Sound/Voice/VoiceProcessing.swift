public import RoomCodecs
import RoomCSound

/// Removes the loudspeaker's echo and noise from a microphone with webrtc-audio-processing. One owner at a time.
///
/// Processes mono: both channels of the output are equal. Frames are 10 ms.
public final class VoiceProcessing {
  /// How strongly steady noise is reduced.
  public enum NoiseSuppression: Int, Sendable, Hashable, CaseIterable {
    /// By about 6 dB.
    case low
    /// By about 10 dB.
    case moderate
    /// By about 15 dB.
    case high
    /// By about 20 dB.
    case veryHigh
  }

  /// What is done to the microphone.
  public struct Settings: Sendable, Hashable {
    /// Whether what the device plays is removed.
    public var cancelsEcho: Bool
    /// The suppression of steady noise; nil leaves it.
    public var noiseSuppression: NoiseSuppression?
    /// Whether speech is brought to a constant level.
    public var adjustsGain: Bool
    /// The time from ``VoiceProcessing/played(_:)`` to the echo's arrival in ms, 0…500. A rough value is sufficient.
    public var delay: Int

    public init(
      cancelsEcho: Bool = true, noiseSuppression: NoiseSuppression? = .moderate, adjustsGain: Bool = false, delay: Int = 60
    ) {
      self.cancelsEcho = cancelsEcho
      self.noiseSuppression = noiseSuppression
      self.adjustsGain = adjustsGain
      self.delay = min(max(delay, 0), 500)
    }
  }

  /// The number of samples per channel that are processed at once: 10 ms.
  public static let frameCount = 480

  /// What is done to the microphone.
  public let settings: Settings
  private let processing: OpaquePointer
  private var block = [Float](repeating: 0, count: frameCount)
  /// What was played and does not yet fill a block.
  private var far = [Float](repeating: 0, count: frameCount)
  private var farCount = 0

  /// - Throws: ``CodecError/unavailable(codec:reason:)``
  public init(_ settings: Settings = .init()) throws(CodecError) {
    let noise = Int32(settings.noiseSuppression?.rawValue ?? -1)
    guard let processing = voice_processing_create(settings.cancelsEcho, noise, settings.adjustsGain) else {
      throw .unavailable(codec: "voice processing", reason: "webrtc-audio-processing refused the settings")
    }
    self.settings = settings
    self.processing = processing
  }

  deinit { voice_processing_free(processing) }

  /// Analyses interleaved stereo samples, any number of them, that the device is about to play.
  public func played(_ samples: [Int16]) {
    guard settings.cancelsEcho else { return }
    for frame in 0..<samples.count / 2 {
      far[farCount] = (Float(samples[frame * 2]) + Float(samples[frame * 2 + 1])) / 65_536
      farCount += 1
      guard farCount == Self.frameCount else { continue }
      _ = voice_processing_play(processing, far)
      farCount = 0
    }
  }

  /// Processes interleaved stereo samples of the microphone in place, in the scale of 16-bit samples. Samples after the last
  /// whole 10 ms are left unchanged.
  public func process(_ samples: inout [Float]) {
    for start in stride(from: 0, through: samples.count / 2 - Self.frameCount, by: Self.frameCount) {
      for index in 0..<Self.frameCount {
        let sum = samples[(start + index) * 2] + samples[(start + index) * 2 + 1]
        block[index] = min(max(sum / 65_536, -1), 1)
      }
      guard voice_processing_capture(processing, &block, Int32(settings.delay)) == 0 else { continue }
      for index in 0..<Self.frameCount {
        samples[(start + index) * 2] = block[index] * 32_768
        samples[(start + index) * 2 + 1] = block[index] * 32_768
      }
    }
  }
}
