import RoomProtocol
import RoomWebRTC

/// The options of a client in a room.
public struct RoomOptions: Sendable {
  /// Whether to subscribe to every track as it appears, or to the room's mix if this client receives that instead.
  public var autoSubscribe: Bool
  /// Whether to receive tracks at all. An app that plays the room's stream does not need them; ``Room/setReceiving(_:)`` changes it
  /// later.
  public var receivesTracks: Bool
  /// Decides for each new track, including those of the mix, whether to receive it; nil receives all. The server sends nothing
  /// of a refused track.
  ///
  /// ``Room/subscribe(trackIds:userIds:)`` can still subscribe to a refused track. After a reconnection the closure is called
  /// again for tracks that are not received.
  ///
  /// With ``autoSubscribe`` the server still chooses between the separate tracks and the mix. Without it, true subscribes to
  /// the track.
  public var shouldSubscribe: (@Sendable (_ userId: UserID, _ track: TrackInfo) -> Bool)?
  /// Whether to receive `audioLevels` and `activeSpeakers` events. ``Room/setAudioLevels(_:)`` changes it later.
  public var audioLevels: Bool
  /// Whether to receive the smallest layer of each simulcast, unless `RemoteTrack.setReception` chooses another.
  public var preferSmall: Bool
  /// Whether to open data channels, for ``Room/data``.
  public var data: Bool
  /// The number of reconnection tries and the waits between them.
  public var reconnect: ReconnectPolicy
  /// The timeout of one call, and of opening the socket.
  public var timeout: Duration
  /// The interval of `statistics` events, clamped to 0.1 s…1 day; nil for none. ``Room/setStatisticsInterval(_:)`` changes it
  /// later.
  public var statisticsInterval: Duration?
  /// The video codecs that this client can receive. A track in another codec is not received.
  public var videoCodecs: [CodecName]
  /// The number of events that one stream buffers. Beyond it the oldest are lost for that stream.
  public var eventBacklog: Int
  /// How media reaches the server.
  public var mediaProtocol: MediaProtocol
  /// What the client does when the machine's network changes.
  public var networkChange: NetworkChangePolicy
  /// The certificates that a server with a `wss://` address may present.
  public var trust: ServerTrust
  /// Replaces a media address of the server by the address to send to, for a test network in between.
  ///
  /// An address with `isTCP` that maps to one without is not used.
  package var mediaAddressOverride: (@Sendable (TransportAddress) -> TransportAddress)?

  /// The source of the machine's network changes.
  package var network = NetworkView.kernel

  var route: MediaRoute { MediaRoute(mediaProtocol: mediaProtocol, override: mediaAddressOverride) }

  /// Creates options. See the properties for units and ranges.
  public init(
    autoSubscribe: Bool = true, receivesTracks: Bool = true,
    shouldSubscribe: (@Sendable (_ userId: UserID, _ track: TrackInfo) -> Bool)? = nil,
    audioLevels: Bool = false, preferSmall: Bool = false, data: Bool = false, reconnect: ReconnectPolicy = .default,
    timeout: Duration = .seconds(10), statisticsInterval: Duration? = .seconds(3),
    videoCodecs: [CodecName] = [.h264, .vp8, .vp9, .av1], eventBacklog: Int = 1024, mediaProtocol: MediaProtocol = .automatic,
    networkChange: NetworkChangePolicy = .follow, trust: ServerTrust = .system
  ) {
    self.autoSubscribe = autoSubscribe
    self.receivesTracks = receivesTracks
    self.shouldSubscribe = shouldSubscribe
    self.audioLevels = audioLevels
    self.preferSmall = preferSmall
    self.data = data
    self.reconnect = reconnect
    self.timeout = timeout
    self.statisticsInterval = statisticsInterval
    self.videoCodecs = videoCodecs
    self.eventBacklog = eventBacklog
    self.mediaProtocol = mediaProtocol
    self.networkChange = networkChange
    self.trust = trust
  }
}
