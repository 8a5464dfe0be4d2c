/// Bounds of the media workers. What is over a limit is refused and counted.
public struct MediaLimits: Sendable, Hashable {
  /// Transports that one worker holds.
  public var transportsPerWorker = 4096
  /// Published tracks that one worker holds.
  public var tracksPerWorker = 8192
  /// Of these, tracks that come from this process.
  public var injectionsPerWorker = 512
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
  /// TCP connections that one worker holds; more are closed at once.
  public var tcpConnectionsPerWorker = 1024
  /// Of these, those from one IPv4 address, or one /64 of IPv6, that no connectivity check has proven to be a client's yet.
  public var tcpUnprovenPerAddress = 64
  /// Microseconds in which a new TCP connection has to bring a valid connectivity check.
  public var tcpProofTime: Int64 = 10_000_000
  /// Microseconds after which a silent TCP connection of a client is closed.
  public var tcpIdleTime: Int64 = 60_000_000
  /// Bytes that wait for one TCP connection that takes them slowly. Video may fill three quarters of it, and is then left out up to
  /// a key frame; the rest is for audio and control.
  public var tcpQueueBytes = 262_144

  /// The defaults.
  public init() {}
}
