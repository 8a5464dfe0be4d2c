/// What a stream is among those of a link that carries less than all of them.
public enum StreamPlace: Hashable, Sendable {
  /// Never waits for others, and is never held back.
  case audio
  /// A layer of a video, or a video without layers. The layers of one video have the same number, which the owner chooses.
  case video(track: UInt32)
}
