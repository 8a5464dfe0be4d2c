/// Changes sound in place. One owner at a time.
///
/// An app can write its own and use it with ``Effect/custom(name:make:)``. `process` must not block, and should not allocate.
public protocol SoundEffect: AnyObject {
  /// Processes interleaved stereo samples at 48 kHz in the scale of 16-bit samples, -32 768…32 767; larger values are valid.
  func process(_ samples: inout [Float])
}

/// An effect and its parameters, as a value. The order in ``SoundSettings/effects`` is the order of processing.
public enum Effect: Sendable {
  /// The reverberation of a room.
  case reverb(Reverb.Parameters)
  /// Repetitions.
  case echo(Echo.Parameters)
  /// A gain in dB, -96…24.
  case gain(Double)
  /// Another pitch at the same tempo, in semitones, -12…12.
  case pitch(Double)
  /// An effect of the app. Effects of equal names are the same effect: a new name replaces the effect.
  case custom(name: String, make: @Sendable () -> any SoundEffect)

  func makeEffect() -> any SoundEffect {
    switch self {
    case .reverb(let parameters): Reverb(parameters)
    case .echo(let parameters): Echo(parameters)
    case .gain(let decibels): Gain(decibels: decibels)
    case .pitch(let semitones): Pitch(semitones: semitones)
    case .custom(_, let make): make()
    }
  }
}

extension Effect: Equatable {
  public static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.reverb(let a), .reverb(let b)): a == b
    case (.echo(let a), .echo(let b)): a == b
    case (.gain(let a), .gain(let b)): a == b
    case (.pitch(let a), .pitch(let b)): a == b
    case (.custom(let a, _), .custom(let b, _)): a == b
    default: false
    }
  }
}
