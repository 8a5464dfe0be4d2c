import RoomProtocol
import WebRTC

/// How a client takes part in a room.
public struct RoomOptions: Sendable {
  /// Subscribe to every track as it appears, or to the room's mix if this client gets that instead.
  public var autoSubscribe: Bool
  /// Called for each track as it appears, including those of the mix: true accepts it, false refuses it. The server sends nothing of a
  /// refused track. After a reconnect the closure is called again for tracks that are not received.
  /// ``Room/subscribe(trackIds:userIds:)`` subscribes to a refused track all the same.
  ///
  /// With `autoSubscribe` the server still chooses between the separate tracks and the mix. Without it, true subscribes to the track.
  public var shouldSubscribe: (@Sendable (_ userId: UserID, _ track: TrackInfo) -> Bool)?
  /// Receive `audioLevels` and `activeSpeakers` events; ``Room/setAudioLevels(_:)`` changes it later.
  public var audioLevels: Bool
  public var reconnect: ReconnectPolicy
  /// Seconds that the server has to answer one call, and to complete the opening of the socket.
  public var timeout: Double
  /// Seconds between `statistics` events, from 0.1 to 86400; nil for none. ``Room/setStatisticsInterval(_:)`` changes it later.
  public var statisticsInterval: Double?
  /// Video codecs that this client takes, in order of preference.
  public var videoCodecs: [VideoCodec]
  /// Events that a reader may leave unread; beyond it the oldest are lost to that reader.
  public var eventBacklog: Int
  /// How media reaches the server.
  public var mediaWay: MediaWay
  /// Maps a media address that the server named to the one to send to instead, for a relay or a lossy link in between. An address
  /// with `isTCP` that is mapped to one without is left out.
  public var mediaAddressOverride: (@Sendable (TransportAddress) -> TransportAddress)?
  /// Check the server's certificate where the address is `wss://`; off only for tests.
  public var verifyCertificate: Bool
  /// A PEM file of the authorities that may have signed that certificate, or of the certificate itself; nil for those of the system.
  public var trustedCertificates: String?

  var trust: ServerTrust {
    verifyCertificate ? trustedCertificates.map { .authorities(path: $0) } ?? .system : .anybody
  }

  var route: MediaRoute { MediaRoute(way: mediaWay, override: mediaAddressOverride) }

  public init(
    autoSubscribe: Bool = true, shouldSubscribe: (@Sendable (_ userId: UserID, _ track: TrackInfo) -> Bool)? = nil,
    audioLevels: Bool = false, reconnect: ReconnectPolicy = .default, timeout: Double = 10, statisticsInterval: Double? = 3,
    videoCodecs: [VideoCodec] = [.h264, .vp8], eventBacklog: Int = 1024, mediaWay: MediaWay = .automatic,
    mediaAddressOverride: (@Sendable (TransportAddress) -> TransportAddress)? = nil, verifyCertificate: Bool = true,
    trustedCertificates: String? = nil
  ) {
    self.autoSubscribe = autoSubscribe
    self.shouldSubscribe = shouldSubscribe
    self.audioLevels = audioLevels
    self.reconnect = reconnect
    self.timeout = timeout
    self.statisticsInterval = statisticsInterval
    self.videoCodecs = videoCodecs
    self.eventBacklog = eventBacklog
    self.mediaWay = mediaWay
    self.mediaAddressOverride = mediaAddressOverride
    self.verifyCertificate = verifyCertificate
    self.trustedCertificates = trustedCertificates
  }
}
