import RoomClient
import RoomRTP

// What the library reports as JSON and the protocol has no message for.

/// A remote track and its publisher.
struct RemoteReport: Encodable {
  var userId: UserID
  var track: TrackInfo

  init(_ track: RemoteTrack) {
    userId = track.userId
    self.track = track.info
    self.track.codec = track.codec
  }
}

/// The media transport of one direction.
struct MediaConnectionReport: Encodable {
  var direction: String
  var connected: Bool
}

/// The participants of a room.
struct ParticipantsReport: Encodable {
  var me: ParticipantInfo?
  var others: [ParticipantInfo]
}

/// The state of a room's connection.
struct StateReport: Encodable {
  var state: String
  /// The number of the try to reconnect.
  var attempt: Int?
  /// Why the room is closed.
  var reason: String?
  /// The admin who removed this client.
  var by: UserID?
  /// What the server or the network refused.
  var message: String?

  init(_ state: RoomState) {
    switch state {
    case .idle, .connecting: self.state = "connecting"
    case .connected: self.state = "connected"
    case .reconnecting(let attempt): (self.state, self.attempt) = ("reconnecting", attempt)
    case .closed(let reason):
      self.state = "closed"
      switch reason {
      case .left: self.reason = "left"
      case .kickedOut(let by): (self.reason, self.by) = ("kickedOut", by)
      case .roomClosed: self.reason = "roomClosed"
      case .duplicateLogin: self.reason = "duplicateLogin"
      case .timedOut: self.reason = "timedOut"
      case .serverStopping: self.reason = "serverStopping"
      case .refused(let error): (self.reason, message) = ("refused", "\(error)")
      case .connectionLost(let error): (self.reason, message) = ("connectionLost", "\(error)")
      }
    }
  }
}

/// The statistics of a room. Times are in milliseconds.
struct StatisticsReport: Encodable, Sendable {
  struct Transport: Encodable, Sendable {
    var direction: String
    var connected: Bool
    var roundTripMs: Double?
    var kbps: Double
    var targetKbps: Double?
    var overTCP: Bool
  }

  struct Track: Encodable, Sendable {
    var trackId: TrackID
    var userId: UserID
    var fps: Double
    var kbps: Double
    var loss: Double
    var jitterMs: Double
    var roundTripMs: Double?
    var width: Int?
    var height: Int?
    var frames: UInt64
    var packets: UInt64
    var bytes: UInt64
    var packetsLost: UInt64
    var retransmitted: UInt64
    var nacks: UInt64
    var keyFrameRequests: UInt64
    var framesDropped: UInt64

    init(_ track: TrackStatistics) {
      trackId = track.trackId
      userId = track.userId
      fps = track.fps
      kbps = track.kbps
      loss = track.loss
      jitterMs = track.jitter.inMilliseconds
      roundTripMs = track.roundTripTime?.inMilliseconds
      width = track.width
      height = track.height
      frames = track.frames
      packets = track.packets
      bytes = track.bytes
      packetsLost = track.packetsLost
      retransmitted = track.retransmitted
      nacks = track.nacks
      keyFrameRequests = track.keyFrameRequests
      framesDropped = track.framesDropped
    }
  }

  var transports: [Transport]
  var localTracks: [Track]
  var remoteTracks: [Track]

  init(_ statistics: RoomStatistics) {
    transports = statistics.transports.map {
      Transport(
        direction: $0.direction.rawValue, connected: $0.connected, roundTripMs: $0.roundTripTime?.inMilliseconds,
        kbps: $0.kbps, targetKbps: $0.targetKbps, overTCP: $0.overTCP)
    }
    localTracks = statistics.localTracks.map(Track.init)
    remoteTracks = statistics.remoteTracks.map(Track.init)
  }
}

/// The path to a server.
struct NetworkReport: Encodable {
  var passed: Bool
  var steps: [NetworkCheck.Step]

  init(_ check: NetworkCheck) {
    passed = check.passed
    steps = check.steps
  }
}

extension Duration {
  /// The duration in milliseconds.
  var inMilliseconds: Double { Double(microseconds) / 1000 }
}
