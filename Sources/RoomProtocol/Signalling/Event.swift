/// An event that the server sends: `{"event": "joined", "data": {…}}`.
public enum SignalEvent: Sendable, Hashable {
  /// A participant joined.
  case joined(ParticipantInfo)
  /// A participant left.
  case left(LeftData)
  /// A participant's socket was lost, or reconnected within the grace time.
  case connectionChanged(ConnectionData)
  /// A participant changed what it shows of itself.
  case profileChanged(ProfileData)
  /// The server API changed what a participant may do.
  case permissionsChanged(PermissionsData)
  /// A participant published tracks.
  case published(PublishedData)
  /// A participant unpublished tracks.
  case unpublished(UnpublishedData)
  /// A track was muted or unmuted.
  case muteChanged(MuteData)
  /// Another participant was kicked. The kicked participant receives `ended` instead.
  case kicked(KickedData)
  /// An offer for the subscribe transport; the client replies with the call `answer`.
  case offer(OfferData)
  /// Tracks that were requested but cannot be received: no common codec, or a limit.
  case subscribeFailed(SubscribeFailedData)
  /// The layers of own simulcasts that are in use.
  case layers(LayersData)
  /// What is sent to this client of tracks that it receives.
  case streams(StreamsData)
  /// How well the participants' connections carry their media.
  case networkQuality(NetworkQualityData)
  /// The audio levels of the speakers; see ``AudioLevelsParams``.
  case audioLevels(AudioLevelsData)
  /// The users who are speaking.
  case activeSpeakers(ActiveSpeakersData)
  /// A relay job started, or its state changed.
  case jobChanged(JobInfo)
  /// The status of a relay job, every 3 s; sent to participants with the `relay` or the `admin` grant.
  case jobStatus(JobStatusData)
  /// The style of the room's composition changed.
  case stageChanged(StagePicture)
  /// The composition changes soon; only the session that edits it receives this. See ``EditCompositionParams``.
  case compositionChanging(CompositionChangingData)
  /// A relay job ended.
  case jobEnded(JobEndedData)
  /// A player started, or its state, its position, its volume or its length changed.
  case playerChanged(PlayerInfo)
  /// A player ended.
  case playerEnded(PlayerEndedData)
  /// Seats, layout, messages, attributes or a PK changed.
  case changed(NumberedChange)
  /// The token with which this anchor joins the other room of a PK.
  case pkToken(PKTokenData)
  /// The viewers of a job now see the split screen of a PK.
  case pkOnAir(PKOnAirData)
  /// Other servers at which the session can continue.
  case alternatives(AlternativesData)
  /// The session ended. The server then closes the socket.
  case ended(EndedData)
  /// An event of a newer server, with its name.
  case unknown(String)
}

extension SignalEvent: Codable {
  /// The event's name on the wire.
  public var name: String {
    switch self {
    case .joined: "joined"
    case .left: "left"
    case .connectionChanged: "connectionChanged"
    case .profileChanged: "profileChanged"
    case .permissionsChanged: "permissionsChanged"
    case .published: "published"
    case .unpublished: "unpublished"
    case .muteChanged: "muteChanged"
    case .kicked: "kicked"
    case .offer: "offer"
    case .subscribeFailed: "subscribeFailed"
    case .layers: "layers"
    case .streams: "streams"
    case .networkQuality: "networkQuality"
    case .audioLevels: "audioLevels"
    case .activeSpeakers: "activeSpeakers"
    case .jobChanged: "jobChanged"
    case .jobStatus: "jobStatus"
    case .stageChanged: "stageChanged"
    case .compositionChanging: "compositionChanging"
    case .jobEnded: "jobEnded"
    case .playerChanged: "playerChanged"
    case .playerEnded: "playerEnded"
    case .changed(let numbered): numbered.change.name
    case .pkToken: "pkToken"
    case .pkOnAir: "pkOnAir"
    case .alternatives: "alternatives"
    case .ended: "ended"
    case .unknown(let name): name
    }
  }

  /// Decodes an event; an unknown name becomes `unknown`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: EventKeys.self)
    let name = try container.decode(String.self, forKey: .event)
    func data<D: Decodable>(_: D.Type) throws -> D { try container.decode(D.self, forKey: .data) }
    switch name {
    case "joined": self = .joined(try data(ParticipantInfo.self))
    case "left": self = .left(try data(LeftData.self))
    case "connectionChanged": self = .connectionChanged(try data(ConnectionData.self))
    case "profileChanged": self = .profileChanged(try data(ProfileData.self))
    case "permissionsChanged": self = .permissionsChanged(try data(PermissionsData.self))
    case "published": self = .published(try data(PublishedData.self))
    case "unpublished": self = .unpublished(try data(UnpublishedData.self))
    case "muteChanged": self = .muteChanged(try data(MuteData.self))
    case "kicked": self = .kicked(try data(KickedData.self))
    case "offer": self = .offer(try data(OfferData.self))
    case "subscribeFailed": self = .subscribeFailed(try data(SubscribeFailedData.self))
    case "layers": self = .layers(try data(LayersData.self))
    case "streams": self = .streams(try data(StreamsData.self))
    case "networkQuality": self = .networkQuality(try data(NetworkQualityData.self))
    case "audioLevels": self = .audioLevels(try data(AudioLevelsData.self))
    case "activeSpeakers": self = .activeSpeakers(try data(ActiveSpeakersData.self))
    case "jobChanged": self = .jobChanged(try data(JobInfo.self))
    case "stageChanged": self = .stageChanged(try data(StagePicture.self))
    case "compositionChanging": self = .compositionChanging(try data(CompositionChangingData.self))
    case "jobStatus": self = .jobStatus(try data(JobStatusData.self))
    case "jobEnded": self = .jobEnded(try data(JobEndedData.self))
    case "playerChanged": self = .playerChanged(try data(PlayerInfo.self))
    case "playerEnded": self = .playerEnded(try data(PlayerEndedData.self))
    case "alternatives": self = .alternatives(try data(AlternativesData.self))
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

  /// Encodes the event.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: EventKeys.self)
    try container.encode(name, forKey: .event)
    switch self {
    case .joined(let data): try container.encode(data, forKey: .data)
    case .left(let data): try container.encode(data, forKey: .data)
    case .connectionChanged(let data): try container.encode(data, forKey: .data)
    case .profileChanged(let data): try container.encode(data, forKey: .data)
    case .permissionsChanged(let data): try container.encode(data, forKey: .data)
    case .published(let data): try container.encode(data, forKey: .data)
    case .unpublished(let data): try container.encode(data, forKey: .data)
    case .muteChanged(let data): try container.encode(data, forKey: .data)
    case .kicked(let data): try container.encode(data, forKey: .data)
    case .offer(let data): try container.encode(data, forKey: .data)
    case .subscribeFailed(let data): try container.encode(data, forKey: .data)
    case .layers(let data): try container.encode(data, forKey: .data)
    case .streams(let data): try container.encode(data, forKey: .data)
    case .networkQuality(let data): try container.encode(data, forKey: .data)
    case .audioLevels(let data): try container.encode(data, forKey: .data)
    case .activeSpeakers(let data): try container.encode(data, forKey: .data)
    case .jobChanged(let data): try container.encode(data, forKey: .data)
    case .stageChanged(let data): try container.encode(data, forKey: .data)
    case .compositionChanging(let data): try container.encode(data, forKey: .data)
    case .jobStatus(let data): try container.encode(data, forKey: .data)
    case .jobEnded(let data): try container.encode(data, forKey: .data)
    case .playerChanged(let data): try container.encode(data, forKey: .data)
    case .playerEnded(let data): try container.encode(data, forKey: .data)
    case .changed(let numbered):
      try container.encode(numbered.seq, forKey: .seq)
      try container.encode(numbered.change.data, forKey: .data)
    case .pkToken(let data): try container.encode(data, forKey: .data)
    case .pkOnAir(let data): try container.encode(data, forKey: .data)
    case .alternatives(let data): try container.encode(data, forKey: .data)
    case .ended(let data): try container.encode(data, forKey: .data)
    case .unknown: break
    }
  }
}

/// The reason why a session ended.
public enum EndReason: String, Codable, Sendable, Hashable {
  /// The participant left.
  case left
  /// An admin or the REST API removed the participant.
  case kickedOut
  /// The room was closed.
  case roomClosed
  /// The same user joined elsewhere (401003).
  case duplicateLogin
  /// The client did not reconnect within the grace time.
  case timedOut
  /// The server is shutting down.
  case serverStopping
}

/// The data of a `left` event.
public struct LeftData: Codable, Sendable, Hashable {
  /// The participant's user id.
  public var userId: UserID
  /// The reason.
  public var reason: EndReason
  /// Creates the data of the event.
  public init(userId: UserID, reason: EndReason) {
    self.userId = userId
    self.reason = reason
  }
}

/// The data of a `connectionChanged` event.
public struct ConnectionData: Codable, Sendable, Hashable {
  /// The participant's user id.
  public var userId: UserID
  /// Whether the participant is connected.
  public var connected: Bool
  /// Creates the data of the event.
  public init(userId: UserID, connected: Bool) {
    self.userId = userId
    self.connected = connected
  }
}

/// The data of a `published` event.
public struct PublishedData: Codable, Sendable, Hashable {
  /// The participant's user id.
  public var userId: UserID
  /// The published tracks.
  public var tracks: [TrackInfo]
  /// Creates the data of the event.
  public init(userId: UserID, tracks: [TrackInfo]) {
    self.userId = userId
    self.tracks = tracks
  }
}

/// The data of an `unpublished` event.
public struct UnpublishedData: Codable, Sendable, Hashable {
  /// The participant's user id.
  public var userId: UserID
  /// The ids of the tracks.
  public var trackIds: [TrackID]
  /// Creates the data of the event.
  public init(userId: UserID, trackIds: [TrackID]) {
    self.userId = userId
    self.trackIds = trackIds
  }
}

/// The data of a `muteChanged` event.
public struct MuteData: Codable, Sendable, Hashable {
  /// The participant's user id.
  public var userId: UserID
  /// The track's id.
  public var trackId: TrackID
  /// Whether the track is muted.
  public var muted: Bool
  /// The user who changed it: the publisher or an admin; empty for a REST API call.
  public var by: UserID
  /// Creates the data of the event.
  public init(userId: UserID, trackId: TrackID, muted: Bool, by: UserID) {
    self.userId = userId
    self.trackId = trackId
    self.muted = muted
    self.by = by
  }
}

/// The data of a `kicked` event.
public struct KickedData: Codable, Sendable, Hashable {
  /// The participant's user id.
  public var userId: UserID
  /// The admin who kicked the participant; empty for a REST API call.
  public var by: UserID
  /// Creates the data of the event.
  public init(userId: UserID, by: UserID) {
    self.userId = userId
    self.by = by
  }
}

/// The data of an `offer` event.
public struct OfferData: Codable, Sendable, Hashable {
  /// The offer's number, which grows by one with each offer. The answer repeats it.
  public var offer: Int
  /// The offer's SDP.
  public var sdp: String
  /// The track of each active m-line of the offer.
  public var tracks: [OfferedTrack]
  /// Whether the offer belongs to a new connection: the client then closes the old one.
  public var restart: Bool
  /// Creates the data of the event.
  public init(offer: Int, sdp: String, tracks: [OfferedTrack], restart: Bool) {
    self.offer = offer
    self.sdp = sdp
    self.tracks = tracks
    self.restart = restart
  }
}

/// The track of one m-line of an offer.
public struct OfferedTrack: Codable, Sendable, Hashable {
  /// The m-line's `a=mid`.
  public var mid: String
  /// The participant's user id.
  public var userId: UserID
  /// The track's id.
  public var trackId: TrackID
  /// The codec of the m-line, in which the publisher sends the track too, or into which the server transcodes it, because the client
  /// rejected the first one; nil for the track as published.
  public var rendition: CodecName?
  /// Creates the track of an m-line.
  public init(mid: String, userId: UserID, trackId: TrackID, rendition: CodecName? = nil) {
    self.mid = mid
    self.userId = userId
    self.trackId = trackId
    self.rendition = rendition
  }
}

/// The data of a `subscribeFailed` event.
public struct SubscribeFailedData: Codable, Sendable, Hashable {
  /// The ids of the tracks.
  public var trackIds: [TrackID]
  /// The reason.
  public var error: RoomError
  /// Creates the data of the event.
  public init(trackIds: [TrackID], error: RoomError) {
    self.trackIds = trackIds
    self.error = error
  }
}

/// The data of an `audioLevels` event.
public struct AudioLevelsData: Codable, Sendable, Hashable {
  /// One entry for each audio track.
  public var levels: [AudioLevel]
  /// Creates the data of the event.
  public init(levels: [AudioLevel]) { self.levels = levels }
}

/// The audio level of one track.
public struct AudioLevel: Codable, Sendable, Hashable {
  /// The participant's user id.
  public var userId: UserID
  /// The track's id.
  public var trackId: TrackID
  /// The level in dBov, −127 (silence)…0 (loudest), as in RFC 6464.
  public var level: Int
  /// Creates an audio level.
  public init(userId: UserID, trackId: TrackID, level: Int) {
    self.userId = userId
    self.trackId = trackId
    self.level = level
  }
}

/// The data of an `activeSpeakers` event.
public struct ActiveSpeakersData: Codable, Sendable, Hashable {
  /// The speaking users, the loudest first.
  public var userIds: [UserID]
  /// Creates the data of the event.
  public init(userIds: [UserID]) { self.userIds = userIds }
}

/// The data of an `alternatives` event.
public struct AlternativesData: Codable, Sendable, Hashable {
  /// The signalling URLs of servers at which the session can continue, the best first.
  public var urls: [String]
  /// Whether the client should continue there now, because this server ends soon.
  public var leave: Bool
  /// Creates the data of the event.
  public init(urls: [String], leave: Bool) {
    self.urls = urls
    self.leave = leave
  }
}

/// The data of an `ended` event.
public struct EndedData: Codable, Sendable, Hashable {
  /// The reason.
  public var reason: EndReason
  /// The admin who ended the session; empty for a REST API call, nil if no user ended it.
  public var by: UserID?
  /// The error: 401003 for `duplicateLogin`.
  public var error: RoomError?
  /// For `serverStopping`, the signalling URL of the server to join instead; nil to rejoin this server after its restart.
  public var redirect: String?
  /// The room that the participant joins instead, because the API moved it; nil otherwise.
  public var room: RoomName?
  /// Creates the data of the event.
  public init(
    reason: EndReason, by: UserID? = nil, error: RoomError? = nil, redirect: String? = nil, room: RoomName? = nil
  ) {
    self.redirect = redirect
    self.room = room
    self.reason = reason
    self.by = by
    self.error = error
  }
}
