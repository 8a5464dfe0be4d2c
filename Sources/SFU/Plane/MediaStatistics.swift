/// The state of a room's media at one moment. Rates are of the last second or so.
public struct MediaStatistics: Sendable, Hashable {
  public var transports: [TransportID: TransportStatistics]
  public var tracks: [TrackID: TrackStatistics]
  public var subscriptions: [SubscriptionID: SubscriptionStatistics]

  public init(
    transports: [TransportID: TransportStatistics] = [:], tracks: [TrackID: TrackStatistics] = [:],
    subscriptions: [SubscriptionID: SubscriptionStatistics] = [:]
  ) {
    self.transports = transports
    self.tracks = tracks
    self.subscriptions = subscriptions
  }
}

public struct TransportStatistics: Sendable, Hashable {
  public var isConnected = false
  /// The far end's address that is in use: "127.0.0.1:40000"; nil before ICE is done.
  public var remoteAddress: String?
  /// Round trip from receiver reports, milliseconds; nil before the first.
  public var roundTripMilliseconds: Double?
  public var packetsReceived: UInt64 = 0
  public var bytesReceived: UInt64 = 0
  public var packetsSent: UInt64 = 0
  public var bytesSent: UInt64 = 0
  public var receiveKbps = 0
  public var sendKbps = 0
  /// Outgoing packets that the far end's transport-wide feedback reported as come, and as lost.
  public var feedbackReceived: UInt64 = 0
  public var feedbackLost: UInt64 = 0

  public init() {}
}

/// What comes from the publisher of a track.
public struct TrackStatistics: Sendable, Hashable {
  public var codec = ""
  public var isMuted = false
  public var kbps = 0
  public var framesPerSecond = 0
  public var packets: UInt64 = 0
  public var bytes: UInt64 = 0
  /// As in RFC 3550 §6.4.1: may fall when late packets come.
  public var lost: Int64 = 0
  /// Share of the packets lost over the last report interval, 0…1.
  public var fractionLost = 0.0
  public var jitterMilliseconds = 0.0
  public var keyFrames: UInt64 = 0
  public var frames: UInt64 = 0
  public var nacksSent: UInt64 = 0
  public var keyFrameRequests: UInt64 = 0
  /// dBov, −127…0; audio only.
  public var audioLevel: Int?
  public var subscriptions = 0

  public init() {}
}

/// What goes to one receiver of a track.
public struct SubscriptionStatistics: Sendable, Hashable {
  public var track = TrackID(0)
  public var transport = TransportID(0)
  public var kbps = 0
  public var packets: UInt64 = 0
  public var bytes: UInt64 = 0
  public var nacks: UInt64 = 0
  public var retransmitted: UInt64 = 0
  public var keyFrameRequests: UInt64 = 0
  /// From the far end's receiver reports.
  public var lost: Int64 = 0
  public var fractionLost = 0.0
  public var jitterMilliseconds = 0.0

  public init() {}
}
