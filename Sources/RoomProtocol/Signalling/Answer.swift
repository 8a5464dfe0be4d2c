/// What the server says to a request: `{"id": 1, "result": {…}}` or `{"id": 1, "error": {…}}`.
///
/// `Result` is `JoinResult`, `PublishResult` or `Empty`, by the method asked.
public enum SignalAnswer<Result: Codable & Sendable>: Codable, Sendable {
  /// `id` is nil only where the request could not be read at all.
  case result(id: Int, Result)
  case error(id: Int?, RoomError)

  private enum Keys: String, CodingKey { case id, result, error }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    if let error = try container.decodeIfPresent(RoomError.self, forKey: .error) {
      self = .error(id: try container.decodeIfPresent(Int.self, forKey: .id), error)
    } else {
      self = .result(id: try container.decode(Int.self, forKey: .id), try container.decode(Result.self, forKey: .result))
    }
  }

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

/// The result of a call that has nothing to say but that it was done.
public struct Empty: Codable, Sendable, Hashable {
  public init() {}
}

/// The join snapshot.
public struct JoinResult: Codable, Sendable, Hashable {
  public var version: Int
  /// Secret of this session; `resume` takes it up again on another socket.
  public var sessionId: SessionID
  /// True when an earlier session goes on, its tracks and subscriptions with it.
  public var resumed: Bool
  public var room: RoomSnapshot
  /// The client itself, with the tracks it still has when resumed.
  public var me: ParticipantInfo
  /// The others, hidden ones left out.
  public var participants: [ParticipantInfo]
  public var limits: RoomLimits
  /// Milliseconds between a client's `ping`s; a socket silent for three of them is dead.
  public var pingInterval: Int
  /// For the client's peer connections, where the server has any to tell of. Credentials may expire: a join, also one that
  /// resumes, brings new ones.
  public var iceServers: [ICEServer]?
  /// True where the changes after `since` follow, each as the event it was; they are in `room` already. False where there are too
  /// many: `room` is all there is. Absent where `since` was not asked for.
  public var replayed: Bool?

  public init(
    version: Int = signallingVersion, sessionId: SessionID, resumed: Bool, room: RoomSnapshot, me: ParticipantInfo,
    participants: [ParticipantInfo], limits: RoomLimits, pingInterval: Int, iceServers: [ICEServer]? = nil,
    replayed: Bool? = nil
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
  }
}

public struct PublishResult: Codable, Sendable, Hashable {
  /// The server's answer to the offer.
  public var sdp: String
  /// The tracks that the call added, in the order asked.
  public var tracks: [PublishedTrackInfo]

  public init(sdp: String, tracks: [PublishedTrackInfo]) {
    self.sdp = sdp
    self.tracks = tracks
  }
}

public struct PublishedTrackInfo: Codable, Sendable, Hashable {
  public var mid: String
  public var track: TrackInfo

  public init(mid: String, track: TrackInfo) {
    self.mid = mid
    self.track = track
  }
}
