/// Limits of the media workers. Whatever exceeds a limit is refused and counted.
public struct MediaLimits: Sendable, Hashable {
  /// Transports per worker.
  public var transportsPerWorker = 4096
  /// Transports of one room for which one worker is enough. For each further number of them the room uses another worker, if that is
  /// less busy: each worker costs a copy of each packet.
  public var roomTransportsPerWorker = 256
  /// Published tracks per worker.
  public var tracksPerWorker = 8192
  /// The part of these tracks that may come from this process.
  public var injectionsPerWorker = 512
  /// Subscriptions per worker.
  public var subscriptionsPerWorker = 65_536
  /// Tracks published on one transport, and tracks received on one.
  public var tracksPerTransport = 256
  /// Subscriptions to one track.
  public var subscriptionsPerTrack = 2000
  /// SSRCs that a transport may learn from packets, beyond those that were signalled.
  public var learnedSSRCsPerTransport = 512
  /// Minimum time between two key frame requests for one stream, in microseconds.
  public var keyFrameInterval: Int64 = 500_000
  /// Bitrate that REMB allows a publisher without transport-wide feedback, in bits per second.
  public var bitratePerPublisher = 4_000_000
  /// TCP connections per worker. More are closed at once.
  public var tcpConnectionsPerWorker = 1024
  /// The part of these from one IPv4 address or one IPv6 /64 that no connectivity check has proven to be a client's yet.
  public var tcpUnprovenPerAddress = 64
  /// Time in which a new TCP connection must send a valid connectivity check, in microseconds.
  public var tcpProofTime: Int64 = 10_000_000
  /// Time after which a client's silent TCP connection is closed, in microseconds.
  public var tcpIdleTime: Int64 = 60_000_000
  /// Queue of one slow TCP connection, in bytes. Video may fill three quarters of it, and is then dropped up to a key frame.
  /// The rest is for audio and control.
  public var tcpQueueBytes = 262_144

  /// What one transport may send over data channels, in bytes per second, with a burst of one second. A message counts once when it
  /// is received, once for each receiver, and each time 4096 bytes more than it has. A sender beyond it is held back.
  public var dataBytesPerSecond = 16_000_000
  /// The bytes of a sender's messages that not all receivers have taken yet, counted as above. A sender with more is held back.
  public var dataInTransit = 524_288
  /// The unsent bytes of a channel up to which a receiver is given reliable messages, and lossy ones. Others wait, and are lost.
  public var dataUnsent = 262_144
  public var dataUnsentLossy = 65_536
  /// The bytes of reliable messages that may wait for one receiver, counted as above. It fails beyond.
  public var dataWaiting = 8_388_608
  /// The part of them that may wait until its channel opens. More are lost.
  public var dataBeforeOpen = 2_097_152
  /// Time in microseconds for which a message may wait for a receiver before that fails.
  public var dataPatience: Int64 = 15_000_000

  /// Creates the default limits.
  public init() {}
}
