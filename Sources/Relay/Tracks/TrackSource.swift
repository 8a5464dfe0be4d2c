public import RoomSFU

/// A track that programs read.
public struct TrackSource: Sendable {
  /// The tap that the track's worker writes to.
  public let tap: TrackTap
  /// The clock of the track's participant.
  public let clock: SharedClock
  /// Requests a key frame from the publisher.
  public let requestKeyFrame: @Sendable () -> Void
  /// Releases the tap when it is no longer read.
  public let release: @Sendable () -> Void

  /// Creates a source from a participant's tap, with the closures that request a key frame and release the tap.
  public init(
    tap: TrackTap, clock: SharedClock, requestKeyFrame: @escaping @Sendable () -> Void, release: @escaping @Sendable () -> Void
  ) {
    self.tap = tap
    self.clock = clock
    self.requestKeyFrame = requestKeyFrame
    self.release = release
  }
}
