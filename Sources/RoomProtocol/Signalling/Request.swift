/// The version of the signalling protocol that this module speaks (`api/signalling.md`).
public let signallingVersion = 1

/// What a client asks of the server: `{"id": 1, "method": "join", "params": {…}}`.
public struct SignalRequest: Sendable, Codable, Hashable {
  /// Chosen by the client, given back in the answer.
  public var id: Int
  public var call: SignalCall

  public init(id: Int, call: SignalCall) {
    self.id = id
    self.call = call
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: RequestKeys.self)
    id = try container.decode(Int.self, forKey: .id)
    let method = try container.decode(String.self, forKey: .method)
    call = try SignalCall(method: method, params: .member(container))
  }

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
    case .setAudioLevels(let params): try container.encode(params, forKey: .params)
    case .answer(let params): try container.encode(params, forKey: .params)
    case .mute(let params): try container.encode(params, forKey: .params)
    case .kick(let params): try container.encode(params, forKey: .params)
    case .startForward(let params): try container.encode(params, forKey: .params)
    case .startMerge(let params): try container.encode(params, forKey: .params)
    case .setLayouts(let params): try container.encode(params, forKey: .params)
    case .stopJob(let params): try container.encode(params, forKey: .params)
    case .sendMessage(let params): try container.encode(params, forKey: .params)
    case .setAttributes(let params): try container.encode(params, forKey: .params)
    case .seats(let nested): if let params = nested.params { try container.encode(params, forKey: .params) }
    case .pk(let nested): if let params = nested.params { try container.encode(params, forKey: .params) }
    case .leave, .resubscribe, .ping, .unknown: break
    }
  }
}

/// The calls of the protocol. A method that this build does not know is `unknown` and answered with 10001.
public enum SignalCall: Sendable, Hashable {
  case join(JoinParams)
  case leave
  case publish(PublishParams)
  case unpublish(TrackSelection)
  case subscribe(TrackSelection)
  case unsubscribe(TrackSelection)
  /// Accepts tracks that automatic subscription offers. For a client that joined with `confirmsTracks`.
  case confirmTracks(ConfirmParams)
  /// Begins or ends `audioLevels` and `activeSpeakers` events.
  case setAudioLevels(AudioLevelsParams)
  case answer(AnswerParams)
  /// A new subscribe transport with a new offer, for a client whose old one is lost.
  case resubscribe
  case mute(MuteParams)
  case kick(UserParams)
  /// Sends a participant's tracks to a publish URL; needs the `relay` grant.
  case startForward(ForwardParams)
  /// Sends a mix of tracks to a publish URL, or into the room; needs the `relay` grant.
  case startMerge(MergeParams)
  /// Arranges a merge job's tracks anew; needs the `relay` grant.
  case setLayouts(LayoutsParams)
  /// Ends a relay job; needs the `relay` grant.
  case stopJob(JobParams)
  case seats(SeatCall)
  case pk(PKCall)
  case sendMessage(MessageParams)
  /// Needs the `admin` grant.
  case setAttributes(AttributeParams)
  case ping
  case unknown(String)

  public var method: String {
    switch self {
    case .join: "join"
    case .leave: "leave"
    case .publish: "publish"
    case .unpublish: "unpublish"
    case .subscribe: "subscribe"
    case .unsubscribe: "unsubscribe"
    case .confirmTracks: "confirmTracks"
    case .setAudioLevels: "setAudioLevels"
    case .answer: "answer"
    case .resubscribe: "resubscribe"
    case .mute: "mute"
    case .kick: "kick"
    case .startForward: "startForward"
    case .startMerge: "startMerge"
    case .setLayouts: "setLayouts"
    case .stopJob: "stopJob"
    case .seats(let call): call.method
    case .pk(let call): call.method
    case .sendMessage: "sendMessage"
    case .setAttributes: "setAttributes"
    case .ping: "ping"
    case .unknown(let method): method
    }
  }
}

extension SignalCall {
  /// The call of a method with these parameters.
  /// - Parameter params: the decoder of an object with the parameters.
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
    case "setAudioLevels": self = .setAudioLevels(try params.read())
    case "answer": self = .answer(try params.read())
    case "resubscribe": self = .resubscribe
    case "mute": self = .mute(try params.read())
    case "kick": self = .kick(try params.read())
    case "startForward": self = .startForward(try params.read())
    case "startMerge": self = .startMerge(try params.read())
    case "setLayouts": self = .setLayouts(try params.read())
    case "stopJob": self = .stopJob(try params.read())
    case "ping": self = .ping
    case "sendMessage": self = .sendMessage(try params.read())
    case "setAttributes": self = .setAttributes(try params.read())
    default:
      if let nested = try SeatCall(method: method, params: params) {
        self = .seats(nested)
      } else if let nested = try PKCall(method: method, params: params) {
        self = .pk(nested)
      } else {
        self = .unknown(method)
      }
    }
  }
}

public struct JoinParams: Codable, Sendable, Hashable {
  public var version: Int
  public var token: String
  /// Subscribe to every track of the room as it appears; default true.
  public var autoSubscribe: Bool?
  /// Automatic subscription offers a track only after `confirmTracks` names it; default false.
  public var confirmsTracks: Bool?
  /// Send `audioLevels` events; default false.
  public var audioLevels: Bool?
  /// The `sessionId` of a session whose socket was lost: takes it up again within the grace time.
  public var resume: SessionID?
  /// The `seq` of the last change that the client saw: those after it are told again.
  public var since: Int?

  public init(
    version: Int = signallingVersion, token: String, autoSubscribe: Bool? = nil, confirmsTracks: Bool? = nil,
    audioLevels: Bool? = nil, resume: SessionID? = nil, since: Int? = nil
  ) {
    self.version = version
    self.token = token
    self.autoSubscribe = autoSubscribe
    self.confirmsTracks = confirmsTracks
    self.audioLevels = audioLevels
    self.resume = resume
    self.since = since
  }
}

/// An offer for the publish transport, whole: it holds every m-line that the client ever added, in their order (JSEP).
public struct PublishParams: Codable, Sendable, Hashable {
  public var sdp: String
  /// The tracks that this offer adds; those published before are not repeated.
  public var tracks: [NewTrack]
  /// True when `sdp` belongs to a new connection that replaces the transport; `tracks` then names all tracks again, those that
  /// go on with their `trackId`. Default false.
  public var restart: Bool?

  public init(sdp: String, tracks: [NewTrack], restart: Bool? = nil) {
    self.sdp = sdp
    self.tracks = tracks
    self.restart = restart
  }
}

public struct NewTrack: Codable, Sendable, Hashable {
  /// The m-line's `a=mid`.
  public var mid: String
  public var kind: TrackKind
  public var tag: String?
  public var master: Bool?
  public var muted: Bool?
  /// With `restart`: the track that goes on.
  public var trackId: TrackID?
  public var width: Int?
  public var height: Int?
  public var fps: Int?
  public var bitrate: Int?

  public init(
    mid: String, kind: TrackKind, tag: String? = nil, master: Bool? = nil, muted: Bool? = nil, trackId: TrackID? = nil,
    width: Int? = nil, height: Int? = nil, fps: Int? = nil, bitrate: Int? = nil
  ) {
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

/// Tracks by id, or all tracks of users; both lists may be given.
public struct TrackSelection: Codable, Sendable, Hashable {
  public var trackIds: [TrackID]?
  public var userIds: [UserID]?

  public init(trackIds: [TrackID]? = nil, userIds: [UserID]? = nil) {
    self.trackIds = trackIds
    self.userIds = userIds
  }
}

public struct ConfirmParams: Codable, Sendable, Hashable {
  /// Unknown ids are ignored.
  public var trackIds: [TrackID]
  public init(trackIds: [TrackID]) { self.trackIds = trackIds }
}

public struct AudioLevelsParams: Codable, Sendable, Hashable {
  public var enabled: Bool
  public init(enabled: Bool) { self.enabled = enabled }
}

public struct AnswerParams: Codable, Sendable, Hashable {
  /// The number of the `offer` event that this answers.
  public var offer: Int
  public var sdp: String

  public init(offer: Int, sdp: String) {
    self.offer = offer
    self.sdp = sdp
  }
}

public struct MuteParams: Codable, Sendable, Hashable {
  /// One's own track, or with the `admin` grant anybody's.
  public var trackId: TrackID
  public var muted: Bool

  public init(trackId: TrackID, muted: Bool) {
    self.trackId = trackId
    self.muted = muted
  }
}
