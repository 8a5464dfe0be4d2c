public import Codecs
public import RTP

/// What a program makes and wants.
public enum ProgramOutput: Sendable {
  /// H.264 in Annex B form; its timestamp is its media time.
  case picture(EncodedPicture)
  /// Stereo at 48 kHz, from this sample on of ``AudioInput``'s grid.
  case sound([Int16], at: Int64)
  /// The publisher's next picture shall be a key frame.
  case keyFrameNeeded
}

/// A timed feed of pictures and sound that a broadcast can send: a participant's tracks, or a mix. One owner at a time.
public protocol Program: AnyObject {
  /// Since when none of its tracks is there; nil while one is.
  var emptySince: Instant? { get }

  /// The receiver needs a key frame, of a moment after this one where it is not nil.
  func wantKeyFrame(after moment: MediaTime?, _ output: (ProgramOutput) -> Void)

  /// Takes what came, and lets the media clock go on to `now`.
  func advance(to now: Instant, _ output: (ProgramOutput) -> Void)
}
