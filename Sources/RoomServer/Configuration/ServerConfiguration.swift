public import RoomHTTPServer
public import RoomLiveOrigin
public import RoomOriginServer
public import RoomEngine
public import RoomSFU
public import RoomProtocol
public import RoomState
public import RoomWebhooks

/// The configuration of a server. The defaults suit a server on one machine without a proxy.
public struct ServerConfiguration: Sendable {
  /// The numeric address that HTTP and signalling listen on: "127.0.0.1", "0.0.0.0", "::1".
  public var host = "127.0.0.1"
  /// The TCP port of HTTP. 0 lets the kernel choose; read it from `RoomServer.port`.
  public var port: UInt16 = 0
  /// HTTPS and RTMPS on additional ports; nil for none.
  public var tls: TLSSettings?
  /// The URL at which clients reach HTTP, such as a proxy's: "https://live.example.org". Nil means the announced or bound address
  /// and the port.
  public var publicURL: String?
  /// The URL at which clients reach RTMP: "rtmp://live.example.org". Nil means the host of ``publicURL`` and the RTMP port.
  public var publicRTMPURL: String?
  /// The proxies in front of this server, which report their clients' addresses.
  public var trustedProxies = TrustedProxies()
  /// Threads that serve HTTP; at least 1.
  public var httpThreads = 2
  /// Event loops that serve signalling sockets; at least 1.
  public var signallingThreads = 1
  /// The pause between writes of events to many signalling sockets.
  public var signalPause = SignalPause.short
  /// The pause for events about joining and leaving participants.
  public var presencePause = SignalPause.long
  /// Threads that convert the streams of encoders for rooms; at least 1. Nil means one for every two cores.
  public var ingestThreads: Int?
  /// Addresses, ports and workers of the media plane.
  public var media = MediaPlane.Configuration()
  /// API keys with their secrets, each of at least 32 bytes. Tokens of all of them are valid.
  public var keys: [String: Secret]
  /// The API key that signs the tokens that the server issues for anchors that move between rooms, and webhooks without their
  /// own secret. Nil means the first key in sorted order.
  public var signingKey: String?
  /// The directory of the data that outlives the server. It is created if it does not exist, and no other server may use it
  /// while this one runs. Nil stores nothing.
  public var data: String?
  /// Whether the first join of a missing room creates it.
  public var autoCreateRooms = false
  /// STUN and TURN servers that clients receive when they join.
  public var iceServers: [ICEServerSetting] = []
  /// Jobs that send programs to other servers.
  public var relay = RelaySettings()
  public var players = PlayerSettings()
  /// Live streams that are published to this server and watched here.
  public var origin = OriginSettings()
  public var rooms = RoomSettings()
  /// Files that the app uploads for players; nil refuses uploads.
  public var uploads: UploadSettings?
  /// Webhooks to the app's own server.
  public var webhooks = WebhookSettings()
  /// How much of its history the server keeps.
  public var history = HistorySettings()
  public var keepAlive = KeepAlive()
  /// The cluster of which this server is a node; nil for a server that runs all its rooms alone.
  public var cluster: ClusterSettings?
  public var limits = ServerLimits()

  /// Returns the validation error of the URL of a server that takes over during a drain; nil if it is valid.
  public static func validationError(drainRedirect url: String) -> String? { DrainOrder.validationError(redirect: url) }

  /// - Parameter keys: API keys with their secrets, each of at least 32 bytes.
  public init(keys: [String: String]) { self.keys = keys.mapValues { Secret($0) } }
}

/// The timeouts of a room.
public struct RoomSettings: Sendable, Hashable {
  /// How long a participant whose socket was lost keeps its membership, tracks and subscriptions. Also how long a WHIP or WHEP
  /// session survives the loss of its media.
  public var graceTime: Duration = .seconds(20)
  /// How long the media of a WHIP or WHEP client may take to connect.
  public var connectTime: Duration = .seconds(20)
  /// How long a room that the API created stays open while empty.
  public var emptyTime: Duration = .seconds(300)
  /// How long a room that a join created stays open while empty.
  public var autoCreatedEmptyTime: Duration = .seconds(30)
  /// What the audience of a room with occupied seats receives.
  public var audience = RoomAudience.mixed
  /// Who may watch a room without joining it.
  public var watch = WatchPolicy()
  /// Whether a room that is not live makes a program at the origin for viewers without WebRTC.
  public var watchFallback = true
  /// Limits and timeouts of seats, PK, messages and attributes.
  public var rules = RoomRules()

  public init() {}
}

/// When the server pings a signalling socket, and when it closes one.
public struct KeepAlive: Sendable, Hashable {
  /// The interval between two WebSocket pings of the server; clients receive it as `pingInterval`.
  public var pingInterval: Duration = .seconds(5)
  /// The time after which a socket on which nothing was received is closed.
  public var silence: Duration = .seconds(12)
  /// The time after which a socket that has not joined is closed.
  public var joinTime: Duration = .seconds(10)
  /// The time a client has to answer a close frame before its socket is closed.
  public var closeTime: Duration = .seconds(2)

  public init() {}
}

/// How long an event loop waits after it wrote an event to many signalling sockets. It gathers the events that arrive
/// meanwhile.
public struct SignalPause: Sendable, Hashable {
  /// The time for each socket that was written to.
  public var perSocket: Duration
  /// The maximum. Zero writes each event at once.
  public var longest: Duration

  static let short = SignalPause(perSocket: .microseconds(300), longest: .milliseconds(300))
  static let long = SignalPause(perSocket: .milliseconds(1), longest: .seconds(1))

  /// Returns the pause after a write to this many sockets.
  func time(afterSockets count: Int) -> Duration { min(perSocket * count, longest) }
}

/// Why a server could not start.
public enum StartError: Error, Sendable, CustomStringConvertible {
  /// There is no API key.
  case noKeys
  /// The secret of this key has fewer than 32 bytes.
  case shortSecret(key: String)
  /// The address is not numeric.
  case badAddress(String)
  /// The HTTP port could not be bound.
  case http(address: String, reason: String)
  /// The RTMP port could not be bound.
  case rtmp(address: String, reason: String)
  /// The SRT port could not be bound.
  case srt(address: String, reason: String)
  /// The certificate is not usable; with the reason.
  case certificate(reason: String)
  case media(MediaPlaneError)
  /// A STUN or TURN server is invalid; with the reason.
  case iceServer(reason: String)
  /// The directory for recordings is not usable; with the reason.
  case recordings(reason: String)
  /// The directory for uploads is not usable; with the reason.
  case uploads(reason: String)
  /// The data directory is not usable; with the reason.
  case data(reason: String)
  /// The cluster's store is not reachable, or a setting of the cluster is invalid; with the reason.
  case cluster(reason: String)
  /// A webhook is invalid; with the reason.
  case webhooks(reason: String)

  public var description: String {
    switch self {
    case .noKeys: "no API key: give a key and a secret"
    case .shortSecret(let key): "the secret of API key \(key) is too short: it must have at least 32 bytes"
    case .badAddress(let address): "\(address) is not a numeric address"
    case .http(let address, let reason): "can't listen for HTTP on \(address): \(reason)"
    case .rtmp(let address, let reason): "can't listen for RTMP on \(address): \(reason)"
    case .srt(let address, let reason): "can't listen for SRT on \(address): \(reason)"
    case .certificate(let reason): "can't serve TLS: \(reason)"
    case .media(let error): "can't start the media workers: \(error)"
    case .iceServer(let reason): reason
    case .recordings(let reason): "can't record: \(reason)"
    case .uploads(let reason): "can't take uploads: \(reason)"
    case .webhooks(let reason): reason
    case .cluster(let reason): "can't enter the cluster: \(reason)"
    case .data(let reason): "can't store data: \(reason)"
    }
  }
}

extension StartError {
  init(http error: ListenError) {
    switch error {
    case .badAddress(let host): self = .badAddress(host)
    case .unavailable(let address, let reason): self = .http(address: address, reason: reason)
    }
  }

  init(srt error: ListenError) {
    switch error {
    case .badAddress(let host): self = .badAddress(host)
    case .unavailable(let address, let reason): self = .srt(address: address, reason: reason)
    }
  }

  init(rtmp error: ListenError) {
    switch error {
    case .badAddress(let host): self = .badAddress(host)
    case .unavailable(let address, let reason): self = .rtmp(address: address, reason: reason)
    }
  }
}

extension ServerConfiguration {
  /// The numeric address of RTMP and SRT.
  var originHost: String { origin.host ?? host }
}
