/// A snapshot of a room's media. Rates cover about the last second.
public struct MediaStatistics: Sendable, Hashable, Codable {
  /// By the control plane's ids.
  public var transports: [TransportID: TransportStatistics]
  /// By the control plane's ids.
  public var tracks: [MediaTrackID: TrackStatistics]
  /// By the control plane's ids.
  public var subscriptions: [SubscriptionID: SubscriptionStatistics]

  /// Creates statistics from their properties.
  public init(
    transports: [TransportID: TransportStatistics] = [:], tracks: [MediaTrackID: TrackStatistics] = [:],
    subscriptions: [SubscriptionID: SubscriptionStatistics] = [:]
  ) {
    self.transports = transports
    self.tracks = tracks
    self.subscriptions = subscriptions
  }

  /// Adds those of one worker. Of the tracks that it has only a link of, their subscriptions count.
  mutating func merge(_ own: MediaStatistics, receives: (MediaTrackID) -> Bool) {
    transports.merge(own.transports) { _, new in new }
    subscriptions.merge(own.subscriptions) { _, new in new }
    for (id, track) in own.tracks {
      let before = tracks[id]?.subscriptions ?? 0
      if receives(id) { tracks[id] = track }
      tracks[id, default: TrackStatistics()].subscriptions = before + track.subscriptions
    }
  }
}

/// The traffic of one transport.
public struct TransportStatistics: Sendable, Hashable, Codable {
  /// Whether media can flow and the remote end is responding.
  public var isConnected = false
  /// The remote address in use, such as "127.0.0.1:40000"; nil before ICE is complete.
  public var remoteAddress: String?
  /// Round-trip time from receiver reports, in milliseconds; nil before the first.
  public var roundTripMilliseconds: Double?
  /// Datagrams of any kind from the remote end.
  public var packetsReceived: UInt64 = 0
  /// Bytes in these datagrams.
  public var bytesReceived: UInt64 = 0
  /// Media and report packets to the remote end.
  public var packetsSent: UInt64 = 0
  /// Bytes in these packets.
  public var bytesSent: UInt64 = 0
  /// Kilobits per second from the remote end.
  public var receiveKbps = 0
  /// Kilobits per second to the remote end.
  public var sendKbps = 0
  /// Outgoing packets that the remote end's transport-wide feedback reported as received.
  public var feedbackReceived: UInt64 = 0
  /// Outgoing packets that the same feedback reported as lost.
  public var feedbackLost: UInt64 = 0
  /// The estimate of what the path to the remote end carries, in kilobits per second; nil without one. It is no upper bound of
  /// the path unless `isPaced`: a path that carries all that is wanted is not measured further.
  public var targetKbps: Int?
  /// The time that a packet waits in a queue of the path, in milliseconds; nil without an estimate.
  public var queueMilliseconds: Double?
  /// Whether video waits for its turn, because the path carries hardly more than what is sent.
  public var isPaced = false

  /// Creates statistics without traffic.
  public init() {}
}

/// What the publisher of a track sends.
public struct TrackStatistics: Sendable, Hashable, Codable {
  /// SDP name of the last packet's codec, in lower case.
  public var codec = ""
  /// Whether forwarding is stopped.
  public var isMuted = false
  /// Kilobits of payload per second.
  public var kbps = 0
  /// Video frames per second; 0 for audio.
  public var framesPerSecond = 0
  /// RTP packets, without retransmissions.
  public var packets: UInt64 = 0
  /// Bytes of payload.
  public var bytes: UInt64 = 0
  /// Packets lost, as in RFC 3550 §6.4.1: may decrease when late packets arrive.
  public var lost: Int64 = 0
  /// Fraction of the packets lost in the last report interval, 0…1.
  public var fractionLost = 0.0
  /// Interarrival jitter (RFC 3550 §6.4.1) in milliseconds.
  public var jitterMilliseconds = 0.0
  /// Key frames begun.
  public var keyFrames: UInt64 = 0
  /// Video frames; 0 for audio.
  public var frames: UInt64 = 0
  /// Packets requested again from the publisher.
  public var nacksSent: UInt64 = 0
  /// Key frame requests to the publisher.
  public var keyFrameRequests: UInt64 = 0
  /// Audio level in dBov, −127…0; audio only.
  public var audioLevel: Int?
  /// Subscriptions to the track.
  public var subscriptions = 0

  /// Creates statistics without traffic.
  public init() {}

  /// Adds another layer of the same simulcast: sums, and the worst of rates and jitters.
  mutating func add(_ layer: TrackStatistics) {
    kbps += layer.kbps
    framesPerSecond = max(framesPerSecond, layer.framesPerSecond)
    packets &+= layer.packets
    bytes &+= layer.bytes
    lost += layer.lost
    fractionLost = max(fractionLost, layer.fractionLost)
    jitterMilliseconds = max(jitterMilliseconds, layer.jitterMilliseconds)
    keyFrames &+= layer.keyFrames
    frames = max(frames, layer.frames)
    nacksSent &+= layer.nacksSent
    keyFrameRequests &+= layer.keyFrameRequests
    subscriptions += layer.subscriptions
  }
}

/// What one receiver of a track is sent.
public struct SubscriptionStatistics: Sendable, Hashable, Codable {
  /// The received track.
  public var track = MediaTrackID(0)
  /// The receiver's transport.
  public var transport = TransportID(0)
  /// Kilobits of payload per second.
  public var kbps = 0
  /// RTP packets, without retransmissions.
  public var packets: UInt64 = 0
  /// Bytes of payload.
  public var bytes: UInt64 = 0
  /// NACK packets from the receiver.
  public var nacks: UInt64 = 0
  /// Packets retransmitted to the receiver.
  public var retransmitted: UInt64 = 0
  /// Key frame requests from the receiver.
  public var keyFrameRequests: UInt64 = 0
  /// Packets lost, from the receiver's reports.
  public var lost: Int64 = 0
  /// Fraction lost in the receiver's last report interval, 0…1.
  public var fractionLost = 0.0
  /// Interarrival jitter (RFC 3550 §6.4.1) in milliseconds.
  public var jitterMilliseconds = 0.0

  /// Creates statistics without traffic.
  public init() {}
}
