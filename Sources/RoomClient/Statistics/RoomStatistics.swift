import RoomProtocol
import RoomRTP

/// The statistics of a room's media over the interval since the last report.
public struct RoomStatistics: Sendable, Hashable {
  /// The open media transports, at most one for each direction.
  public var transports: [TransportStatistics]
  /// The published tracks.
  public var localTracks: [TrackStatistics]
  /// The received tracks.
  public var remoteTracks: [TrackStatistics]

  /// Creates a report.
  public init(
    transports: [TransportStatistics] = [], localTracks: [TrackStatistics] = [], remoteTracks: [TrackStatistics] = []
  ) {
    self.transports = transports
    self.localTracks = localTracks
    self.remoteTracks = remoteTracks
  }
}

/// The statistics of one transport, which carries all tracks of one direction.
public struct TransportStatistics: Sendable, Hashable {
  /// The direction.
  public var direction: TransportKind
  /// Whether the transport is connected.
  public var connected: Bool
  /// The round-trip time; nil before the first measurement.
  public var roundTripTime: Duration?
  /// The RTP bitrate in kbit/s.
  public var kbps: Double
  /// The congestion control's estimate of the path to the server, in kbit/s; nil for the subscribe direction.
  public var targetKbps: Double?
  /// Whether the media uses a TCP connection.
  public var overTCP: Bool

  /// Creates the statistics of a transport.
  public init(
    direction: TransportKind, connected: Bool, roundTripTime: Duration? = nil, kbps: Double = 0, targetKbps: Double? = nil,
    overTCP: Bool = false
  ) {
    self.direction = direction
    self.connected = connected
    self.roundTripTime = roundTripTime
    self.kbps = kbps
    self.targetKbps = targetKbps
    self.overTCP = overTCP
  }
}

/// The statistics of one track in one direction.
public struct TrackStatistics: Sendable, Hashable {
  /// The track's id.
  public var trackId: TrackID
  /// The publisher.
  public var userId: UserID
  /// Frames per second during the interval.
  public var fps: Double
  /// The bitrate during the interval in kbit/s.
  public var kbps: Double
  /// The fraction of packets lost during the interval before repair, 0…1; for local tracks as the receiver reports it.
  public var loss: Double
  /// The jitter (RFC 3550 §6.4.1); for local tracks as the receiver reports it.
  public var jitter: Duration
  /// The round-trip time; nil before the first measurement.
  public var roundTripTime: Duration?
  /// The announced width in pixels; nil for audio.
  public var width: Int?
  /// The announced height in pixels; nil for audio.
  public var height: Int?
  /// The number of frames since the track began.
  public var frames: UInt64
  /// The number of packets since the track began.
  public var packets: UInt64
  /// The number of bytes since the track began.
  public var bytes: UInt64
  /// The number of packets lost after repair (remote), or reported as lost by the receiver (local).
  public var packetsLost: UInt64
  /// The number of packets retransmitted (local), or recovered by retransmission (remote).
  public var retransmitted: UInt64
  /// The number of NACKed packets: received (local) or sent (remote).
  public var nacks: UInt64
  /// The number of key frame requests (PLI and FIR): received (local) or sent (remote).
  public var keyFrameRequests: UInt64
  /// The number of dropped frames: by a full queue (local), or incomplete or unread (remote).
  public var framesDropped: UInt64
  /// When the first packet arrived on the monotonic clock (remote); nil before it.
  package var firstPacketAt: Instant?

  /// Creates the statistics of a track with all counters at 0.
  public init(trackId: TrackID, userId: UserID) {
    self.trackId = trackId
    self.userId = userId
    fps = 0
    kbps = 0
    loss = 0
    jitter = .zero
    frames = 0
    packets = 0
    bytes = 0
    packetsLost = 0
    retransmitted = 0
    nacks = 0
    keyFrameRequests = 0
    framesDropped = 0
  }
}
