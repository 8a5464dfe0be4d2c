/// Bounds of the media workers. What is over a limit is refused and counted.
public struct MediaLimits: Sendable, Hashable {
  public var transportsPerWorker = 4096
  /// Tracks published, and likewise tracks received, on one transport.
  public var tracksPerTransport = 256
  public var subscriptionsPerTrack = 2000
  /// Microseconds without a word from the far end until `transportDisconnected`.
  public var silence: Int64 = 10_000_000
  /// Microseconds without a word from the far end until `transportFailed(.timeout)`.
  public var lost: Int64 = 30_000_000
  /// Microseconds from `openTransport` until it has to be connected.
  public var handshake: Int64 = 30_000_000
  /// Microseconds between two key frame requests for one stream.
  public var keyFrameInterval: Int64 = 500_000
  /// What REMB allows a publisher that has no transport-wide feedback, bits per second.
  public var bitratePerPublisher = 4_000_000

  public init() {}
}
