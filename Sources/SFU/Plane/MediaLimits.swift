/// Bounds of the media workers. What is over a limit is refused and counted.
public struct MediaLimits: Sendable, Hashable {
  /// Transports that one worker holds.
  public var transportsPerWorker = 4096
  /// Published tracks that one worker holds.
  public var tracksPerWorker = 8192
  /// Subscriptions that one worker holds.
  public var subscriptionsPerWorker = 65_536
  /// Tracks published, and likewise tracks received, on one transport.
  public var tracksPerTransport = 256
  /// Subscriptions to one track.
  public var subscriptionsPerTrack = 2000
  /// SSRCs that a transport may bring with packets beyond those that were signalled.
  public var learnedSSRCsPerTransport = 512
  /// Microseconds between two key frame requests for one stream.
  public var keyFrameInterval: Int64 = 500_000
  /// What REMB allows a publisher that has no transport-wide feedback, bits per second.
  public var bitratePerPublisher = 4_000_000

  /// The defaults.
  public init() {}
}
