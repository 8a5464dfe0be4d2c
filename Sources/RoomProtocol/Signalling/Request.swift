/// The version of the signalling protocol that this module implements (`api/signalling.md`).
public let signallingVersion = 1

/// A request of a client: `{"id": 1, "method": "join", "params": {…}}`.
public struct SignalRequest: Sendable, Codable, Hashable {
  /// The request's id, chosen by the client. The answer repeats it.
  public var id: Int
  /// The method and its parameters.
  public var call: SignalCall

  /// Creates a request.
  public init(id: Int, call: SignalCall) {
    self.id = id
    self.call = call
  }

  /// Decodes a request; an unknown method becomes ``SignalCall/unknown(_:)``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: RequestKeys.self)
    id = try container.decode(Int.self, forKey: .id)
    let method = try container.decode(String.self, forKey: .method)
    call = try SignalCall(method: method, params: .member(container))
  }

  /// Encodes the request.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: RequestKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(call.method, forKey: .method)
    switch call {
    case .join(let params): try container.encode(params, forKey: .params)
    case .publish(let params): try container.encode(params, forKey: .params)
    case .unpublish(let params), .subscribe(let params), .unsubscribe(let params):
      try container.encode(params, forKey: .params)
    case .confirmTracks(let params): try container.encode(params, forKey: .params)
    case .setReception(let params): try container.encode(params, forKey: .params)
    case .setAudioLevels(let params): try container.encode(params, forKey: .params)
    case .setReceiving(let params): try container.encode(params, forKey: .params)
    case .getPlayURLs(let params): try container.encode(params, forKey: .params)
    case .answer(let params): try container.encode(params, forKey: .params)
    case .mute(let params): try container.encode(params, forKey: .params)
    case .kick(let params): try container.encode(params, forKey: .params)
    case .startForward(let params): try container.encode(params, forKey: .params)
    case .startMerge(let params): try container.encode(params, forKey: .params)
    case .setLayouts(let params): try container.encode(params, forKey: .params)
    case .stopJob(let params): try container.encode(params, forKey: .params)
    case .setStage(let style): try container.encode(style, forKey: .params)
    case .editComposition(let params): try container.encode(params, forKey: .params)
    case .setComposition(let params): try container.encode(params, forKey: .params)
    case .sendMessage(let params): try container.encode(params, forKey: .params)
    case .setAttributes(let params): try container.encode(params, forKey: .params)
    case .seats(let nested): if let params = nested.params { try container.encode(params, forKey: .params) }
    case .pk(let nested): if let params = nested.params { try container.encode(params, forKey: .params) }
    case .players(let nested): if let params = nested.params { try container.encode(params, forKey: .params) }
    case .leave, .resubscribe, .ping, .unknown: break
    }
  }
}

/// The calls of the signalling protocol. A method that this build does not know is `unknown`; the server answers it with 10001.
public enum SignalCall: Sendable, Hashable {
  /// Joins the token's room; must be the first call.
  case join(JoinParams)
  /// Leaves the room.
  case leave
  /// Publishes tracks.
  case publish(PublishParams)
  /// Unpublishes tracks.
  case unpublish(TrackSelection)
  /// Subscribes to tracks.
  case subscribe(TrackSelection)
  /// Unsubscribes from tracks.
  case unsubscribe(TrackSelection)
  /// Confirms tracks of the automatic subscription, for a client that joined with `confirmsTracks`.
  case confirmTracks(ConfirmParams)
  /// Selects the quality of received tracks, and pauses and resumes them.
  case setReception(ReceptionParams)
  /// Starts or stops `audioLevels` and `activeSpeakers` events.
  case setAudioLevels(AudioLevelsParams)
  /// Ends all subscriptions until the client wants them again, such as while it plays the room's stream.
  case setReceiving(ReceivingParams)
  /// Requests the room's play URLs, with new signatures.
  case getPlayURLs(PlayPicture)
  /// Answers an offer of the server.
  case answer(AnswerParams)
  /// Requests a new subscribe transport and a new offer, for a client that lost the old one.
  case resubscribe
  /// Mutes or unmutes a track.
  case mute(MuteParams)
  /// Removes a participant from the room; needs the `admin` grant.
  case kick(UserParams)
  /// Sends a participant's tracks to a publish URL; needs the `relay` grant.
  case startForward(ForwardParams)
  /// Sends a mix of tracks to a publish URL or into the room; needs the `relay` grant.
  case startMerge(MergeParams)
  /// Replaces the layouts of a merge job; needs the `relay` grant.
  case setLayouts(LayoutsParams)
  /// Ends a relay job; needs the `relay` grant.
  case stopJob(JobParams)
  /// Changes the style of the room's composition; needs the `admin` grant.
  case setStage(StagePicture)
  /// Starts or ends the editing of compositions before they are shown; needs the `admin` grant.
  case editComposition(EditCompositionParams)
  /// Answers a ``SignalEvent/compositionChanging(_:)``.
  case setComposition(CompositionParams)
  /// A call that concerns seats or the layout.
  case seats(SeatCall)
  /// A call that concerns a PK.
  case pk(PKCall)
  /// A call that concerns a player.
  case players(PlayerCall)
  /// Sends a message.
  case sendMessage(MessageParams)
  /// Sets and removes attributes of the room; needs the `admin` grant.
  case setAttributes(AttributeParams)
  /// Keeps the connection alive; the result is empty.
  case ping
  /// A method that this build does not know.
  case unknown(String)

  /// The method's name on the wire.
  public var method: String {
    switch self {
    case .join: "join"
    case .leave: "leave"
    case .publish: "publish"
    case .unpublish: "unpublish"
    case .subscribe: "subscribe"
    case .unsubscribe: "unsubscribe"
    case .confirmTracks: "confirmTracks"
    case .setReception: "setReception"
    case .setAudioLevels: "setAudioLevels"
    case .setReceiving: "setReceiving"
    case .getPlayURLs: "getPlayUrls"
    case .answer: "answer"
    case .resubscribe: "resubscribe"
    case .mute: "mute"
    case .kick: "kick"
    case .startForward: "startForward"
    case .startMerge: "startMerge"
    case .setLayouts: "setLayouts"
    case .stopJob: "stopJob"
    case .setStage: "setStage"
    case .editComposition: "editComposition"
    case .setComposition: "setComposition"
    case .seats(let call): call.method
    case .pk(let call): call.method
    case .players(let call): call.method
    case .sendMessage: "sendMessage"
    case .setAttributes: "setAttributes"
    case .ping: "ping"
    case .unknown(let method): method
    }
  }
}

extension SignalCall {
  /// Decodes a call from its method and parameters.
  /// - Parameters:
  ///   - method: the method's name on the wire.
  ///   - params: the decoder of an object with the parameters.
  /// - Throws: `DecodingError` for invalid parameters.
  public init(method: String, params: any Decoder) throws { try self.init(method: method, params: .whole(params)) }

  init(method: String, params: CallParams) throws {
    switch method {
    case "join": self = .join(try params.read())
    case "leave": self = .leave
    case "publish": self = .publish(try params.read())
    case "unpublish": self = .unpublish(try params.read())
    case "subscribe": self = .subscribe(try params.read())
    case "unsubscribe": self = .unsubscribe(try params.read())
    case "confirmTracks": self = .confirmTracks(try params.read())
    case "setReception": self = .setReception(try params.read())
    case "setAudioLevels": self = .setAudioLevels(try params.read())
    case "setReceiving": self = .setReceiving(try params.read())
    case "getPlayUrls": self = .getPlayURLs(try params.read())
    case "answer": self = .answer(try params.read())
    case "resubscribe": self = .resubscribe
    case "mute": self = .mute(try params.read())
    case "kick": self = .kick(try params.read())
    case "startForward": self = .startForward(try params.read())
    case "startMerge": self = .startMerge(try params.read())
    case "setLayouts": self = .setLayouts(try params.read())
    case "stopJob": self = .stopJob(try params.read())
    case "setStage": self = .setStage(try params.read())
    case "editComposition": self = .editComposition(try params.read())
    case "setComposition": self = .setComposition(try params.read())
    case "ping": self = .ping
    case "sendMessage": self = .sendMessage(try params.read())
    case "setAttributes": self = .setAttributes(try params.read())
    default:
      if let nested = try SeatCall(method: method, params: params) {
        self = .seats(nested)
      } else if let nested = try PKCall(method: method, params: params) {
        self = .pk(nested)
      } else if let nested = try PlayerCall(method: method, params: params) {
        self = .players(nested)
      } else {
        self = .unknown(method)
      }
    }
  }
}

/// The parameters of a join.
public struct JoinParams: Codable, Sendable, Hashable {
  /// The version of the protocol that the client speaks.
  public var version: Int
  /// The room token.
  public var token: String
  /// Whether the server subscribes the client to every track of the room; nil means true.
  public var autoSubscribe: Bool?
  /// Whether the automatic subscription sends a track only after `confirmTracks` names it; nil means false.
  public var confirmsTracks: Bool?
  /// Whether the server sends `audioLevels` and `activeSpeakers` events; nil means false.
  public var audioLevels: Bool?
  /// Whether the client gets the smallest layer of each simulcast, unless `setReception` names the track; nil means false.
  public var preferSmall: Bool?
  /// Whether the server offers data channels and opens them; nil means false.
  public var data: Bool?
  /// The ``JoinResult/sessionId`` of a session to resume within the grace time.
  public var resume: SessionID?
  /// The `seq` of the last change that the client received. The server sends the later ones again.
  public var since: Int?
  /// Whether the client moves its media if it resumes at another node than before (``JoinResult/moved``); nil means false.
  public var moves: Bool?

  /// Creates the parameters.
  public init(
    version: Int = signallingVersion, token: String, autoSubscribe: Bool? = nil, confirmsTracks: Bool? = nil,
    audioLevels: Bool? = nil, preferSmall: Bool? = nil, data: Bool? = nil, resume: SessionID? = nil,
    since: Int? = nil, moves: Bool? = nil
  ) {
    self.data = data
    self.version = version
    self.token = token
    self.autoSubscribe = autoSubscribe
    self.confirmsTracks = confirmsTracks
    self.audioLevels = audioLevels
    self.preferSmall = preferSmall
    self.resume = resume
    self.since = since
    self.moves = moves
  }
}

/// The parameters of publishing: a complete offer for the publish transport.
///
/// The offer contains every m-line that the client ever added, in order (JSEP).
public struct PublishParams: Codable, Sendable, Hashable {
  /// The SDP.
  public var sdp: String
  /// The tracks that this offer adds, without those already published.
  public var tracks: [NewTrack]
  /// Whether `sdp` belongs to a new connection that replaces the transport; nil means false.
  ///
  /// If true, `tracks` lists all tracks again; those that continue carry their `trackId`.
  public var restart: Bool?
  /// The m-lines on which published tracks are sent in another codec. Not part of the messages.
  package var backups: [BackupLine] = []

  private enum CodingKeys: String, CodingKey { case sdp, tracks, restart }

  /// Creates the parameters.
  public init(sdp: String, tracks: [NewTrack], restart: Bool? = nil) {
    self.sdp = sdp
    self.tracks = tracks
    self.restart = restart
  }
}

/// An m-line on which a published track is sent in another codec.
package struct BackupLine: Sendable, Hashable {
  /// The m-line's `a=mid`.
  package var mid: String
  package var trackId: TrackID

  package init(mid: String, trackId: TrackID) { (self.mid, self.trackId) = (mid, trackId) }
}

/// A track to publish.
public struct NewTrack: Codable, Sendable, Hashable {
  /// The m-line's `a=mid`.
  public var mid: String
  /// Whether the track is audio or video.
  public var kind: TrackKind
  /// Free text of at most 64 bytes: "camera", "screen".
  public var tag: String?
  /// Whether this is the publisher's main track of its kind.
  public var master: Bool?
  /// Whether the track starts muted.
  public var muted: Bool?
  /// With `restart`, the id of the track that continues.
  public var trackId: TrackID?
  /// The width in pixels; nil for audio.
  public var width: Int?
  /// The height in pixels; nil for audio.
  public var height: Int?
  /// Frames per second; nil for audio.
  public var fps: Int?
  /// The bitrate in bits per second.
  public var bitrate: Int?
  /// A name of at most 256 bytes.
  public var name: String?
  /// The other codecs in which the publisher sends the track if the room asks for them. Not part of the messages.
  package var backups: [CodecName] = []

  private enum CodingKeys: String, CodingKey {
    case mid, kind, tag, master, muted, trackId, width, height, fps, bitrate, name
  }

  /// Creates a track.
  public init(
    mid: String, kind: TrackKind, tag: String? = nil, master: Bool? = nil, muted: Bool? = nil, trackId: TrackID? = nil,
    width: Int? = nil, height: Int? = nil, fps: Int? = nil, bitrate: Int? = nil, name: String? = nil
  ) {
    self.name = name
    self.mid = mid
    self.kind = kind
    self.tag = tag
    self.master = master
    self.muted = muted
    self.trackId = trackId
    self.width = width
    self.height = height
    self.fps = fps
    self.bitrate = bitrate
  }
}

/// A selection of tracks by id, by user, or both.
public struct TrackSelection: Codable, Sendable, Hashable {
  /// The ids of single tracks.
  public var trackIds: [TrackID]?
  /// The users whose tracks are all selected.
  public var userIds: [UserID]?

  /// Creates a selection.
  public init(trackIds: [TrackID]? = nil, userIds: [UserID]? = nil) {
    self.trackIds = trackIds
    self.userIds = userIds
  }
}

/// The parameters that confirm tracks of the automatic subscription.
public struct ConfirmParams: Codable, Sendable, Hashable {
  /// The confirmed tracks. Unknown ids are ignored.
  public var trackIds: [TrackID]
  /// Creates the parameters.
  public init(trackIds: [TrackID]) { self.trackIds = trackIds }
}

/// The parameters that start or stop audio level events.
public struct AudioLevelsParams: Codable, Sendable, Hashable {
  /// Whether the server sends the events.
  public var enabled: Bool
  /// Creates the parameters.
  public init(enabled: Bool) { self.enabled = enabled }
}

/// The parameters that stop and resume the reception of tracks.
public struct ReceivingParams: Codable, Sendable, Hashable {
  /// Whether the client receives tracks. If false, the server keeps the client's choices and sends nothing.
  public var enabled: Bool
  /// Creates the parameters.
  public init(enabled: Bool) { self.enabled = enabled }
}

/// The parameters of an answer to an offer.
public struct AnswerParams: Codable, Sendable, Hashable {
  /// The number of the answered `offer` event.
  public var offer: Int
  /// The SDP.
  public var sdp: String

  /// Creates the parameters.
  public init(offer: Int, sdp: String) {
    self.offer = offer
    self.sdp = sdp
  }
}

/// The parameters that mute or unmute a track.
public struct MuteParams: Codable, Sendable, Hashable {
  /// The track: the caller's own, or any track with the `admin` grant.
  public var trackId: TrackID
  /// Whether the track is muted.
  public var muted: Bool

  /// Creates the parameters.
  public init(trackId: TrackID, muted: Bool) {
    self.trackId = trackId
    self.muted = muted
  }
}
