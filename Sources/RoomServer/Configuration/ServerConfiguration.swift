public import HTTPServer
public import LiveOrigin
public import OriginServer
public import Rooms
public import SFU
public import RoomProtocol
public import RoomState
public import Webhooks

/// All that a server can be told at its start. The defaults are those of a server for one machine behind no proxy.
public struct ServerConfiguration: Sendable {
  /// The numeric address that HTTP and signalling listen on: "127.0.0.1", "0.0.0.0", "::1".
  public var host = "127.0.0.1"
  /// 0 lets the kernel choose; `RoomServer.port` tells which.
  public var port: UInt16 = 0
  /// The same with TLS, on further ports; nil for none.
  public var tls: TLSSettings?
  /// The proxies in front of this server, which tell it their clients' addresses.
  public var trustedProxies = TrustedProxies()
  /// Threads that serve HTTP; at least 1.
  public var httpThreads = 2
  /// Event loops that serve signalling sockets; at least 1.
  public var signallingThreads = 1
  /// When events for many signalling sockets are written.
  public var signalPause = SignalPause.short
  /// The same for events about who comes and goes.
  public var presencePause = SignalPause.long
  /// Threads that convert the streams of RTMP encoders for rooms; at least 1. Nil for one for two cores.
  public var ingestThreads: Int?
  /// Addresses, ports and workers of the media plane.
  public var media = MediaPlane.Configuration()
  /// API keys with their secrets, each of at least 32 bytes. Tokens of all of them are valid.
  public var keys: [String: Secret]
  /// The API key that signs what the server issues itself: tokens for anchors that move between rooms and, without a secret of their
  /// own, webhooks. Nil for the first one, sorted.
  public var signingKey: String?
  /// The directory in which the server keeps what has to outlive it; made where it is not there, and no other server's while
  /// this one runs. Nil keeps nothing.
  public var data: String?
  /// Whether the first join of a room that is not there creates it.
  public var autoCreateRooms = false
  /// STUN and TURN servers that clients are told of when they join.
  public var iceServers: [ICEServerSetting] = []
  /// Jobs that send programs to other servers.
  public var relay = RelaySettings()
  /// Live streams that are published to this server and watched here.
  public var origin = OriginSettings()
  public var rooms = RoomSettings()
  /// What the app's own server is told.
  public var webhooks = WebhookSettings()
  public var keepAlive = KeepAlive()
  public var limits = ServerLimits()

  /// What is wrong with the URL of a server that takes over when this one is drained; nil where nothing is.
  public static func complaint(drainRedirect url: String) -> String? { DrainOrder.complaint(redirect: url) }

  /// - Parameter keys: API keys with their secrets, each of at least 32 bytes.
  public init(keys: [String: String]) { self.keys = keys.mapValues { Secret($0) } }
}

/// Times in a room's life.
public struct RoomSettings: Sendable, Hashable {
  /// How long a participant whose socket was lost keeps its place, tracks and subscriptions; and a WHIP or WHEP session
  /// whose media was lost.
  public var graceTime: Duration = .seconds(20)
  /// How long the media of a client that came by WHIP or WHEP may take to connect.
  public var connectTime: Duration = .seconds(20)
  /// How long a room that the API created stays open with nobody in it.
  public var emptyTime: Duration = .seconds(300)
  /// How long a room that a join created stays open with nobody in it.
  public var autoCreatedEmptyTime: Duration = .seconds(30)
  /// What the audience of a room with people on its seats gets.
  public var audience = RoomAudience.mixed
  /// Limits and waiting times of seats, PK, messages and attributes.
  public var rules = RoomRules()

  public init() {}
}

/// When the server pings a signalling socket, and when it closes one.
public struct KeepAlive: Sendable, Hashable {
  /// Between two WebSocket pings of the server; also what clients are told as their `pingInterval`.
  public var pingInterval: Duration = .seconds(5)
  /// A socket on which nothing came for so long is dead.
  public var silence: Duration = .seconds(12)
  /// A socket that has not joined after so long is closed.
  public var joinTime: Duration = .seconds(10)
  /// A client has this long to answer a close frame before its socket is closed.
  public var closeTime: Duration = .seconds(2)

  public init() {}
}

/// How long an event loop waits after it wrote an event to many signalling sockets. It gathers the events that come meanwhile.
public struct SignalPause: Sendable, Hashable {
  /// For each socket that was written to.
  public var perSocket: Duration
  /// At most. Zero writes each event at once.
  public var longest: Duration

  static let short = SignalPause(perSocket: .microseconds(300), longest: .milliseconds(300))
  static let long = SignalPause(perSocket: .milliseconds(1), longest: .seconds(1))

  /// The pause after a write to this many sockets.
  func time(afterSockets count: Int) -> Duration { min(perSocket * count, longest) }
}

/// Why a server could not start.
public enum StartError: Error, Sendable, CustomStringConvertible {
  /// No API key at all.
  case noKeys
  /// The secret of this key has fewer than 32 bytes.
  case shortSecret(key: String)
  /// Not a numeric address.
  case badAddress(String)
  /// The HTTP port could not be bound.
  case http(address: String, reason: String)
  /// The RTMP port could not be bound.
  case rtmp(address: String, reason: String)
  /// Nobody can be served with the certificate; with the reason.
  case certificate(reason: String)
  case media(MediaPlaneError)
  /// A STUN or TURN server that no client could use; with the reason.
  case iceServer(reason: String)
  /// Nothing can be recorded in the directory for it; with the reason.
  case recordings(reason: String)
  /// Nothing can be kept in the directory for it; with the reason.
  case data(reason: String)
  /// A webhook that can't be one; with the reason.
  case webhooks(reason: String)

  public var description: String {
    switch self {
    case .noKeys: "no API key: give a key and a secret"
    case .shortSecret(let key): "the secret of API key \(key) is too short: at least 32 bytes are needed"
    case .badAddress(let address): "\(address) is no numeric address"
    case .http(let address, let reason): "can't listen for HTTP on \(address): \(reason)"
    case .rtmp(let address, let reason): "can't listen for RTMP on \(address): \(reason)"
    case .certificate(let reason): "can't serve TLS: \(reason)"
    case .media(let error): "can't start the media workers: \(error)"
    case .iceServer(let reason): reason
    case .recordings(let reason): "can't record: \(reason)"
    case .webhooks(let reason): reason
    case .data(let reason): "can't keep data: \(reason)"
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

  init(rtmp error: ListenError) {
    switch error {
    case .badAddress(let host): self = .badAddress(host)
    case .unavailable(let address, let reason): self = .rtmp(address: address, reason: reason)
    }
  }
}
