import RoomCodecs

/// What takes the sound of a studio: a track, a session or a reader.
struct SoundOutput: Sendable {
  /// Whether it takes the ear return.
  var isEar = false
  /// Takes the next frame. Returns at once.
  var push: @Sendable (AudioFrame) -> Void
  /// Called when the studio ends.
  var end: @Sendable () -> Void = {}
}
