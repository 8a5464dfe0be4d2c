public import RoomCodecs
public import RoomRTP

/// An output or a request of a program.
public enum ProgramOutput: Sendable {
  /// An H.264 picture in Annex B format. The picture's timestamp is its media time.
  case picture(EncodedPicture)
  /// Stereo samples at 48 kHz; `at` is the first sample's position on the grid of ``AudioInput``.
  case sound([Int16], at: Int64)
  /// The publisher's next picture must be a key frame.
  case keyFrameNeeded
}

/// A timed source of audio and video for a broadcast: a participant's tracks, or a mix. Not thread-safe; one owner at a time.
public protocol Program: AnyObject {
  /// Since when the program has no track; nil while it has one.
  var emptySince: Instant? { get }

  /// Requests a key frame, for a moment after `moment` unless that is nil.
  func wantKeyFrame(after moment: MediaTime?, _ output: (ProgramOutput) -> Void)

  /// Processes what has arrived and advances the media clock to `now`.
  func advance(to now: Instant, _ output: (ProgramOutput) -> Void)
}
