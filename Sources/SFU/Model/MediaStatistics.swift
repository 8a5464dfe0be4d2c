/// The state of a room's media at one moment. Rates are of the last second or so.
public struct MediaStatistics: Sendable, Hashable {
  /// By the control plane's ids.
  public var transports: [TransportID: TransportStatistics]
  /// By the control plane's ids.
  public var tracks: [MediaTrackID: TrackStatistics]
  /// By the control plane's ids.
  public var subscriptions: [SubscriptionID: SubscriptionStatistics]

  /// See the properties.
  public init(
    transports: [TransportID: TransportStatistics] = [:], tracks: [MediaTrackID: TrackStatistics] = [:],
    subscriptions: [SubscriptionID: SubscriptionStatistics] = [:]
  ) {
    self.transports = transports
    self.tracks = tracks
    self.subscriptions = subscriptions
  }
}

/// What goes over one transport.
public struct TransportStatistics: Sendable, Hashable {
  /// Media can flow and the far end is heard.
  public var isConnected = false
  /// The far end's address that is in use: "127.0.0.1:40000"; nil before ICE is done.
  public var remoteAddress: String?
  /// Round trip from receiver reports, milliseconds; nil before the first.
  public var roundTripMilliseconds: Double?
  /// Datagrams of any kind from the far end.
  public var packetsReceived: UInt64 = 0
  /// Bytes of them.
  public var bytesReceived: UInt64 = 0
  /// Media and reports to the far end, in packets.
  public var packetsSent: UInt64 = 0
  /// Bytes of them.
  public var bytesSent: UInt64 = 0
  /// Kilobits per second from the far end.
  public var receiveKbps = 0
  /// Kilobits per second to the far end.
  public var sendKbps = 0
  /// Outgoing packets that the far end's transport-wide feedback reported as come, and as lost.
  public var feedbackReceived: UInt64 = 0
  /// See `feedbackReceived`.
  public var feedbackLost: UInt64 = 0

  /// Nothing so far.
  public init() {}
}

/// What comes from the publisher of a track.
public struct TrackStatistics: Sendable, Hashable {
  /// SDP name in lower case of the codec of the last packet.
  public var codec = ""
  /// Not forwarded at the moment.
  public var isMuted = false
  /// Kilobits of payload per second.
  public var kbps = 0
  /// Video frames per second; 0 for audio.
  public var framesPerSecond = 0
  /// RTP packets, without resends.
  public var packets: UInt64 = 0
  /// Bytes of payload.
  public var bytes: UInt64 = 0
  /// As in RFC 3550 §6.4.1: may fall when late packets come.
  public var lost: Int64 = 0
  /// Share of the packets lost over the last report interval, 0…1.
  public var fractionLost = 0.0
  /// Interarrival jitter (RFC 3550 §6.4.1).
  public var jitterMilliseconds = 0.0
  /// Key frames that began.
  public var keyFrames: UInt64 = 0
  /// Video frames; 0 for audio.
  public var frames: UInt64 = 0
  /// Packets asked for again.
  public var nacksSent: UInt64 = 0
  /// Requests for a key frame.
  public var keyFrameRequests: UInt64 = 0
  /// dBov, −127…0; audio only.
  public var audioLevel: Int?
  /// How many receive it.
  public var subscriptions = 0

  /// Nothing so far.
  public init() {}
}

/// What goes to one receiver of a track.
public struct SubscriptionStatistics: Sendable, Hashable {
  /// The track that is received.
  public var track = MediaTrackID(0)
  /// The receiver's transport.
  public var transport = TransportID(0)
  /// Kilobits of payload per second.
  public var kbps = 0
  /// RTP packets, without resends.
  public var packets: UInt64 = 0
  /// Bytes of payload.
  public var bytes: UInt64 = 0
  /// NACK packets of the receiver.
  public var nacks: UInt64 = 0
  /// Packets sent again to it.
  public var retransmitted: UInt64 = 0
  /// Requests for a key frame.
  public var keyFrameRequests: UInt64 = 0
  /// From the far end's receiver reports.
  public var lost: Int64 = 0
  /// Share lost over the receiver's last report interval, 0…1.
  public var fractionLost = 0.0
  /// Interarrival jitter (RFC 3550 §6.4.1).
  public var jitterMilliseconds = 0.0

  /// Nothing so far.
  public init() {}
}
