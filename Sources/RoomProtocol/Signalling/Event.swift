/// What the server says by itself: `{"event": "joined", "data": {…}}`.
public enum SignalEvent: Sendable, Hashable {
  case joined(ParticipantInfo)
  case left(LeftData)
  /// A participant's socket was lost, or came back, within the grace time.
  case connectionChanged(ConnectionData)
  case published(PublishedData)
  case unpublished(UnpublishedData)
  case muteChanged(MuteData)
  /// Told to the others; the one who is meant gets `ended`.
  case kicked(KickedData)
  /// An offer for the subscribe transport, to be answered with `answer`.
  case offer(OfferData)
  /// Tracks that were asked for and can't be had: no codec in common, or a limit.
  case subscribeFailed(SubscribeFailedData)
  case audioLevels(AudioLevelsData)
  case activeSpeakers(ActiveSpeakersData)
  /// A relay job began, or its state changed.
  case jobChanged(JobInfo)
  /// How a relay job goes, every 3 s; told to those with the `relay` or the `admin` grant.
  case jobStatus(JobStatusData)
  /// A relay job is over.
  case jobEnded(JobEndedData)
  /// Seats, messages, attributes or a PK changed.
  case changed(NumberedChange)
  /// The token for a PK in the other room.
  case pkToken(PKTokenData)
  /// A job's viewers see the split screen of a PK from now on.
  case pkOnAir(PKOnAirData)
  /// The session is over; the server closes the socket after it.
  case ended(EndedData)
  /// An event of a newer server.
  case unknown(String)
}

extension SignalEvent: Codable {
  public var name: String {
    switch self {
    case .joined: "joined"
    case .left: "left"
    case .connectionChanged: "connectionChanged"
    case .published: "published"
    case .unpublished: "unpublished"
    case .muteChanged: "muteChanged"
    case .kicked: "kicked"
    case .offer: "offer"
    case .subscribeFailed: "subscribeFailed"
    case .audioLevels: "audioLevels"
    case .activeSpeakers: "activeSpeakers"
    case .jobChanged: "jobChanged"
    case .jobStatus: "jobStatus"
    case .jobEnded: "jobEnded"
    case .changed(let numbered): numbered.change.name
    case .pkToken: "pkToken"
    case .pkOnAir: "pkOnAir"
    case .ended: "ended"
    case .unknown(let name): name
    }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: EventKeys.self)
    let name = try container.decode(String.self, forKey: .event)
    func data<D: Decodable>(_: D.Type) throws -> D { try container.decode(D.self, forKey: .data) }
    switch name {
    case "joined": self = .joined(try data(ParticipantInfo.self))
    case "left": self = .left(try data(LeftData.self))
    case "connectionChanged": self = .connectionChanged(try data(ConnectionData.self))
    case "published": self = .published(try data(PublishedData.self))
    case "unpublished": self = .unpublished(try data(UnpublishedData.self))
    case "muteChanged": self = .muteChanged(try data(MuteData.self))
    case "kicked": self = .kicked(try data(KickedData.self))
    case "offer": self = .offer(try data(OfferData.self))
    case "subscribeFailed": self = .subscribeFailed(try data(SubscribeFailedData.self))
    case "audioLevels": self = .audioLevels(try data(AudioLevelsData.self))
    case "activeSpeakers": self = .activeSpeakers(try data(ActiveSpeakersData.self))
    case "jobChanged": self = .jobChanged(try data(JobInfo.self))
    case "jobStatus": self = .jobStatus(try data(JobStatusData.self))
    case "jobEnded": self = .jobEnded(try data(JobEndedData.self))
    case "ended": self = .ended(try data(EndedData.self))
    case "pkToken": self = .pkToken(try data(PKTokenData.self))
    case "pkOnAir": self = .pkOnAir(try data(PKOnAirData.self))
    default:
      if let change = try RoomChange(name: name, data: EventData(container: container)) {
        self = .changed(NumberedChange(seq: try container.decode(Int.self, forKey: .seq), change: change))
      } else {
        self = .unknown(name)
      }
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: EventKeys.self)
    try container.encode(name, forKey: .event)
    switch self {
    case .joined(let data): try container.encode(data, forKey: .data)
    case .left(let data): try container.encode(data, forKey: .data)
    case .connectionChanged(let data): try container.encode(data, forKey: .data)
    case .published(let data): try container.encode(data, forKey: .data)
    case .unpublished(let data): try container.encode(data, forKey: .data)
    case .muteChanged(let data): try container.encode(data, forKey: .data)
    case .kicked(let data): try container.encode(data, forKey: .data)
    case .offer(let data): try container.encode(data, forKey: .data)
    case .subscribeFailed(let data): try container.encode(data, forKey: .data)
    case .audioLevels(let data): try container.encode(data, forKey: .data)
    case .activeSpeakers(let data): try container.encode(data, forKey: .data)
    case .jobChanged(let data): try container.encode(data, forKey: .data)
    case .jobStatus(let data): try container.encode(data, forKey: .data)
    case .jobEnded(let data): try container.encode(data, forKey: .data)
    case .changed(let numbered):
      try container.encode(numbered.seq, forKey: .seq)
      try container.encode(numbered.change.data, forKey: .data)
    case .pkToken(let data): try container.encode(data, forKey: .data)
    case .pkOnAir(let data): try container.encode(data, forKey: .data)
    case .ended(let data): try container.encode(data, forKey: .data)
    case .unknown: break
    }
  }
}

/// Why a session ended.
public enum EndReason: String, Codable, Sendable, Hashable {
  case left
  case kickedOut
  case roomClosed
  /// The same user joined elsewhere (401003).
  case duplicateLogin
  /// The client did not come back within the grace time.
  case timedOut
  case serverStopping
}

public struct LeftData: Codable, Sendable, Hashable {
  public var userId: UserID
  public var reason: EndReason
  public init(userId: UserID, reason: EndReason) {
    self.userId = userId
    self.reason = reason
  }
}

public struct ConnectionData: Codable, Sendable, Hashable {
  public var userId: UserID
  public var connected: Bool
  public init(userId: UserID, connected: Bool) {
    self.userId = userId
    self.connected = connected
  }
}

public struct PublishedData: Codable, Sendable, Hashable {
  public var userId: UserID
  public var tracks: [TrackInfo]
  public init(userId: UserID, tracks: [TrackInfo]) {
    self.userId = userId
    self.tracks = tracks
  }
}

public struct UnpublishedData: Codable, Sendable, Hashable {
  public var userId: UserID
  public var trackIds: [TrackID]
  public init(userId: UserID, trackIds: [TrackID]) {
    self.userId = userId
    self.trackIds = trackIds
  }
}

public struct MuteData: Codable, Sendable, Hashable {
  public var userId: UserID
  public var trackId: TrackID
  public var muted: Bool
  /// Who did it: the user itself, an admin, or empty for the API.
  public var by: UserID
  public init(userId: UserID, trackId: TrackID, muted: Bool, by: UserID) {
    self.userId = userId
    self.trackId = trackId
    self.muted = muted
    self.by = by
  }
}

public struct KickedData: Codable, Sendable, Hashable {
  public var userId: UserID
  /// The operator's userId; empty for the API.
  public var by: UserID
  public init(userId: UserID, by: UserID) {
    self.userId = userId
    self.by = by
  }
}

public struct OfferData: Codable, Sendable, Hashable {
  /// Grows by one with each offer; the answer names it.
  public var offer: Int
  public var sdp: String
  /// Which track each live m-line of the offer carries.
  public var tracks: [OfferedTrack]
  /// True when the offer belongs to a new connection: the client drops the old one.
  public var restart: Bool
  public init(offer: Int, sdp: String, tracks: [OfferedTrack], restart: Bool) {
    self.offer = offer
    self.sdp = sdp
    self.tracks = tracks
    self.restart = restart
  }
}

public struct OfferedTrack: Codable, Sendable, Hashable {
  public var mid: String
  public var userId: UserID
  public var trackId: TrackID
  public init(mid: String, userId: UserID, trackId: TrackID) {
    self.mid = mid
    self.userId = userId
    self.trackId = trackId
  }
}

public struct SubscribeFailedData: Codable, Sendable, Hashable {
  public var trackIds: [TrackID]
  public var error: RoomError
  public init(trackIds: [TrackID], error: RoomError) {
    self.trackIds = trackIds
    self.error = error
  }
}

public struct AudioLevelsData: Codable, Sendable, Hashable {
  public var levels: [AudioLevel]
  public init(levels: [AudioLevel]) { self.levels = levels }
}

public struct AudioLevel: Codable, Sendable, Hashable {
  public var userId: UserID
  public var trackId: TrackID
  /// dBov, −127 (silence) … 0 (loudest), as in RFC 6464.
  public var level: Int
  public init(userId: UserID, trackId: TrackID, level: Int) {
    self.userId = userId
    self.trackId = trackId
    self.level = level
  }
}

public struct ActiveSpeakersData: Codable, Sendable, Hashable {
  /// Loudest first.
  public var userIds: [UserID]
  public init(userIds: [UserID]) { self.userIds = userIds }
}

public struct EndedData: Codable, Sendable, Hashable {
  public var reason: EndReason
  /// The operator's userId where somebody ended it; empty for the API.
  public var by: UserID?
  /// 401003 for `duplicateLogin`.
  public var error: RoomError?
  /// Of `serverStopping`: the signalling URL of the server to join anew; this one's, when it is back, if absent.
  public var redirect: String?
  public init(reason: EndReason, by: UserID? = nil, error: RoomError? = nil, redirect: String? = nil) {
    self.redirect = redirect
    self.reason = reason
    self.by = by
    self.error = error
  }
}
