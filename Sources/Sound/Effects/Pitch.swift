import RoomCSound

/// Raises or lowers the pitch and keeps the tempo, by SoundTouch. The effect delays the sound by ``delay``.
public final class Pitch: SoundEffect {
  /// Nil if there is no memory for it: the sound is not changed then.
  private let engine: OpaquePointer?

  /// Creates an effect without sound in it.
  /// - Parameter semitones: -12…12, clamped. A voice of 4 is brighter, one of -4 darker.
  public init(semitones: Double) {
    let semitones = semitones.isFinite ? min(max(semitones, -12), 12) : 0
    engine = pitch_create(Float(semitones))
  }

  deinit { pitch_free(engine) }

  /// The delay in ms.
  public var delay: Double { engine.map { Double(pitch_delay($0)) / 48 } ?? 0 }

  public func process(_ samples: inout [Float]) {
    if let engine { pitch_process(engine, &samples, UInt32(samples.count / 2)) }
  }
}
