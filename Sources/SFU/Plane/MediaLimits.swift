/// Bounds of the media workers. What is over a limit is refused and counted.
public struct MediaLimits: Sendable, Hashable {
  public var transportsPerWorker = 4096
  public var tracksPerWorker = 8192
  public var subscriptionsPerWorker = 65_536
  /// Tracks published, and likewise tracks received, on one transport.
  public var tracksPerTransport = 256
  public var subscriptionsPerTrack = 2000
  /// SSRCs that a transport may bring with packets beyond those that were signalled.
  public var learnedSSRCsPerTransport = 512
  /// Microseconds between two key frame requests for one stream.
  public var keyFrameInterval: Int64 = 500_000
  /// What REMB allows a publisher that has no transport-wide feedback, bits per second.
  public var bitratePerPublisher = 4_000_000

  public init() {}
}
