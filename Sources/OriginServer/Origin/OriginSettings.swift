public import RoomLiveOrigin
public import RoomRTMP

/// The settings of the embedded origin: addresses, permissions and limits.
public struct OriginSettings: Sendable {
  /// Whether the server listens for RTMP. Without it, jobs still publish streams, and HTTP still plays them.
  public var listens = true
  /// The numeric address that RTMP listens on; nil means the address of HTTP.
  public var host: String?
  /// The TCP port of RTMP; the standard one is 1935. 0 lets the kernel choose; read it from `RoomServer.rtmpPort`.
  public var port: UInt16 = 0
  /// Host names of this server: a job whose publish URL has one of them publishes here without a socket.
  public var names: [String] = []
  /// Signed URLs, with separate keys for publishing and playing. Without a key for playing, any client may play.
  public var protection = HotlinkProtection()
  /// Whether clients may publish without a token or a signature.
  public var publishesOpenly = false
  /// Event loops of RTMP; at least 1. Nil means one for every two cores.
  public var threads: Int?
  /// The delay between the publish of a message and its write to waiting viewers. Messages that arrive within it are sent
  /// together, because each write to a socket costs more than its content.
  public var gather: Duration = .milliseconds(100)
  /// How long a stream, with its viewers, waits for its publisher to reconnect.
  public var linger: Duration = .seconds(20)
  /// The memory limits of one stream, and the lag at which a viewer is too slow.
  public var stream = StreamHub.Limits()
  /// Streams at a time.
  public var streams = 1000
  /// Viewers of all streams at a time.
  public var viewers = 20_000
  /// RTMP connections at a time.
  public var connections = 20_000
  /// RTMP and SRT connections from one address, together; 0 means unlimited. Trusted proxies have no limit.
  public var connectionsPerAddress = 5000
  /// RTMP connections that have sent no request yet. Above the limit, the oldest is closed in favour of a new one, preferably
  /// one from the same address.
  public var silentConnections = 1000
  /// The timeouts of RTMP clients.
  public var timeouts = SessionTimeouts(step: 10_000_000, idle: 30_000_000, silence: 15_000_000, pingAnswer: 15_000_000)
  /// Unsent bytes of one RTMP viewer above which no further message is written.
  public var waitingBytes = 128 << 10
  /// The HLS settings.
  public var hls = HLSDelivery()
  /// SRT, by which encoders publish.
  public var srt = SRTSettings()
  /// Variants that are made on demand.
  public var variants = VariantSettings()

  public init() {}
}
