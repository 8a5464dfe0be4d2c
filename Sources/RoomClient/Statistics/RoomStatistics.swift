import RoomProtocol

/// How media flows, over the interval since the last report.
public struct RoomStatistics: Sendable, Hashable {
  public var transports: [TransportStatistics]
  public var localTracks: [TrackStatistics]
  public var remoteTracks: [TrackStatistics]

  public init(
    transports: [TransportStatistics] = [], localTracks: [TrackStatistics] = [], remoteTracks: [TrackStatistics] = []
  ) {
    self.transports = transports
    self.localTracks = localTracks
    self.remoteTracks = remoteTracks
  }
}

/// One transport: all tracks of one direction.
public struct TransportStatistics: Sendable, Hashable {
  public var direction: TransportKind
  public var connected: Bool
  /// Milliseconds; nil before the first measurement.
  public var roundTripTime: Double?
  /// RTP bits per second, in thousands.
  public var kbps: Double
  /// What congestion control thinks the way to the server takes; nil where nothing is sent.
  public var targetKbps: Double?
  /// Whether media goes over a TCP connection.
  public var overTCP: Bool

  public init(
    direction: TransportKind, connected: Bool, roundTripTime: Double? = nil, kbps: Double = 0, targetKbps: Double? = nil,
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

/// One track in one direction.
public struct TrackStatistics: Sendable, Hashable {
  public var trackId: TrackID
  public var userId: UserID
  /// Frames per second of the interval.
  public var fps: Double
  public var kbps: Double
  /// Share of packets lost in the interval before repair, 0…1: as the far end reports it for local tracks.
  public var loss: Double
  /// Milliseconds, RFC 3550 §6.4.1: as the far end reports it for local tracks.
  public var jitter: Double
  /// Milliseconds; nil before the first measurement.
  public var roundTripTime: Double?
  /// Pixels, as announced; nil for audio.
  public var width: Int?
  public var height: Int?
  /// Since the track began.
  public var frames: UInt64
  public var packets: UInt64
  public var bytes: UInt64
  /// Packets that are missing for good (remote) or that the far end reports as lost (local).
  public var packetsLost: UInt64
  /// Packets sent again (local), or that came by retransmission (remote).
  public var retransmitted: UInt64
  /// NACKed packets; PLI and FIR received (local) or sent (remote).
  public var nacks: UInt64
  public var keyFrameRequests: UInt64
  /// Frames dropped: by a full queue (local), or incomplete or unread (remote).
  public var framesDropped: UInt64

  public init(trackId: TrackID, userId: UserID) {
    self.trackId = trackId
    self.userId = userId
    fps = 0
    kbps = 0
    loss = 0
    jitter = 0
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
