public import LiveOrigin
public import RTMP

/// The embedded origin: where it listens, whom it lets publish and play, and how much it takes on.
public struct OriginSettings: Sendable {
  /// Whether RTMP is listened for. Without it streams are still published by jobs, and played over HTTP.
  public var listens = true
  /// The numeric address that RTMP listens on; nil for that of HTTP.
  public var host: String?
  /// 0 lets the kernel choose; `RoomServer.rtmpPort` tells which. RTMP's own is 1935.
  public var port: UInt16 = 0
  /// Names that this server is reached by: a job whose publish URL has one of them publishes here without a socket.
  public var names: [String] = []
  /// Signed URLs, with keys of their own for publishing and playing. Without a key to play, anybody may.
  public var protection = HotlinkProtection()
  /// Whether anybody may publish, with neither token nor signature.
  public var publishesOpenly = false
  /// Event loops of RTMP; at least 1. Nil for one for two cores.
  public var threads: Int?
  /// How long after a message was published the viewers that wait are served, so that messages that come together go out
  /// together: each write to a socket costs more than what is in it.
  public var gather: Duration = .milliseconds(100)
  /// How long a stream waits for its publisher to come back, and its viewers with it.
  public var linger: Duration = .seconds(20)
  /// What one stream may take of memory, and when a viewer is too slow.
  public var stream = StreamHub.Limits()
  /// Streams at a time.
  public var streams = 1000
  /// Viewers of all streams at a time.
  public var viewers = 20_000
  /// RTMP connections at a time.
  public var connections = 20_000
  /// RTMP connections from one address; 0 for as many as there are. Trusted proxies have no limit.
  public var connectionsPerAddress = 5000
  /// RTMP connections that have not said yet what they want; the oldest makes room for a new one, first among those from the new
  /// one's address.
  public var silentConnections = 1000
  /// How long RTMP clients may take.
  public var timeouts = SessionTimeouts(step: 10_000_000, idle: 30_000_000, silence: 15_000_000, pingAnswer: 15_000_000)
  /// Bytes that wait for one RTMP viewer to read; more is not even begun.
  public var waitingBytes = 128 << 10
  /// HLS: how streams are cut.
  public var hls = HLSDelivery()
  /// Variants that are made on demand.
  public var variants = VariantSettings()

  public init() {}
}
