public import SFU

/// A track that programs read.
public struct TrackSource: Sendable {
  /// What its worker writes to.
  public let tap: TrackTap
  /// Of the participant whose track it is.
  public let clock: SharedClock
  /// Asks the publisher for a key frame.
  public let requestKeyFrame: @Sendable () -> Void
  /// Nothing reads the tap any more.
  public let release: @Sendable () -> Void

  /// A track of a participant, with the ways to ask for a key frame and to let go of it.
  public init(
    tap: TrackTap, clock: SharedClock, requestKeyFrame: @escaping @Sendable () -> Void, release: @escaping @Sendable () -> Void
  ) {
    self.tap = tap
    self.clock = clock
    self.requestKeyFrame = requestKeyFrame
    self.release = release
  }
}
