/// The server's answer to a request: `{"id": 1, "result": {…}}` or `{"id": 1, "error": {…}}`.
///
/// The method determines `Result`: ``JoinResult``, ``PublishResult``, another result type or ``Empty``.
public enum SignalAnswer<Result: Codable & Sendable>: Codable, Sendable {
  /// The call succeeded.
  case result(id: Int, Result)
  /// The call failed. `id` is nil only if the request's id could not be decoded.
  case error(id: Int?, RoomError)

  private enum Keys: String, CodingKey { case id, result, error }

  /// Decodes an answer; `error` takes precedence over `result`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    if let error = try container.decodeIfPresent(RoomError.self, forKey: .error) {
      self = .error(id: try container.decodeIfPresent(Int.self, forKey: .id), error)
    } else {
      self = .result(id: try container.decode(Int.self, forKey: .id), try container.decode(Result.self, forKey: .result))
    }
  }

  /// Encodes the answer.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    switch self {
    case .result(let id, let result):
      try container.encode(id, forKey: .id)
      try container.encode(result, forKey: .result)
    case .error(let id, let error):
      try container.encode(id, forKey: .id)
      try container.encode(error, forKey: .error)
    }
  }
}

/// The result of a call that returns no data.
public struct Empty: Codable, Sendable, Hashable {
  /// Creates an empty result.
  public init() {}
}

/// The result of a join: the state of the room and of the session.
public struct JoinResult: Codable, Sendable, Hashable {
  /// The version of the signalling protocol that the server speaks.
  public var version: Int
  /// The session's secret. ``JoinParams/resume`` takes it to continue the session on another socket.
  public var sessionId: SessionID
  /// Whether an earlier session continues, with its tracks and subscriptions.
  public var resumed: Bool
  /// The state of the room.
  public var room: RoomSnapshot
  /// The client's own participant, with the tracks that a resumed session still has.
  public var me: ParticipantInfo
  /// The other participants without hidden ones.
  public var participants: [ParticipantInfo]
  /// The limits of the server.
  public var limits: RoomLimits
  /// The client's ping interval in milliseconds. A socket without traffic for three intervals is considered dead.
  public var pingInterval: Int
  /// The STUN and TURN servers for the client's peer connections; nil if none are configured. Each join returns new
  /// credentials, because they may expire.
  public var iceServers: [ICEServer]?
  /// Whether the changes after ``JoinParams/since`` follow as events; ``room`` already includes them.
  ///
  /// False if there are too many: only ``room`` is sent. Nil if the join had no `since`.
  public var replayed: Bool?
  /// Whether the media of a resumed session is at another node from now on; nil means false.
  ///
  /// An offer with a new transport follows, and the client publishes again with ``PublishParams/restart``. The old transports
  /// continue meanwhile.
  public var moved: Bool?

  /// Creates the result.
  public init(
    version: Int = signallingVersion, sessionId: SessionID, resumed: Bool, room: RoomSnapshot, me: ParticipantInfo,
    participants: [ParticipantInfo], limits: RoomLimits, pingInterval: Int, iceServers: [ICEServer]? = nil,
    replayed: Bool? = nil, moved: Bool? = nil
  ) {
    self.version = version
    self.sessionId = sessionId
    self.resumed = resumed
    self.room = room
    self.me = me
    self.participants = participants
    self.limits = limits
    self.pingInterval = pingInterval
    self.iceServers = iceServers
    self.replayed = replayed
    self.moved = moved
  }
}

/// The result of publishing tracks.
public struct PublishResult: Codable, Sendable, Hashable {
  /// The server's SDP answer to the offer.
  public var sdp: String
  /// The tracks that the call added, in the order of the request.
  public var tracks: [PublishedTrackInfo]

  /// Creates the result.
  public init(sdp: String, tracks: [PublishedTrackInfo]) {
    self.sdp = sdp
    self.tracks = tracks
  }
}

/// A published track and its m-line.
public struct PublishedTrackInfo: Codable, Sendable, Hashable {
  /// The m-line's `a=mid`.
  public var mid: String
  /// The track, with the id that the server chose.
  public var track: TrackInfo

  /// Creates a published track.
  public init(mid: String, track: TrackInfo) {
    self.mid = mid
    self.track = track
  }
}
