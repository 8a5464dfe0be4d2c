import RoomLiveOrigin
import RoomProtocol
import RoomToken
import RoomSFU
import RoomWebRTC

/// One user in a room, from its first join until it leaves.
struct Participant: Sendable {
  let user: UserID
  let session: SessionID
  /// Milliseconds since 1970.
  let joinedAt: Int64
  /// The token of the last join or resume.
  var token: RoomToken
  var presence: Presence
  /// Whether its socket, encoder or media is connected. A participant that is not connected has the grace time to return.
  var isConnected: Bool
  /// The socket or encoder; nil while it is lost, and for participants without one.
  var connection: ConnectionID?
  /// Whether it counts against the room's limit. A WHIP session does when its media connects for the first time.
  var countsAsPresent = true
  /// The server at which its transports are; nil for this one.
  var annex: MediaAnnexID?
  var publishing: PublishTransport?
  /// The transport for what it received before its media moved, until its client has closed it; nil without one.
  var leaving: TransportID?
  /// What it shows of itself; nil for nothing.
  var profile: ParticipantProfile?
  /// What the server API permits; nil for what its token does.
  var permissions: Permissions?
  /// Who may receive its tracks.
  var subscribers = SubscriptionPermissions.everyone
  /// What the protocol of its client needs of the room.
  var traits: ClientTraits = []
  /// Whether a client that keeps its transports lost one of them.
  var hasLostTransport = false
  /// What its protocol keeps for the client's next connection.
  var memory: ClientMemory?
  /// How messages are exchanged with it; nil if it has no data channels.
  var data: DataLink?
  /// In the order of publication.
  var tracks: [PublishedTrack] = []
  /// Tracks that its seat's switches muted.
  var mutedBySeat: Set<TrackID> = []
  var receiving: Receiving
  /// How well its connections carry its media.
  var quality: UserQuality
  /// The rate limit of its calls that send an event to the whole room; nil before the first.
  var changes: TokenBucket?

  /// What a participant receives and has chosen to receive.
  struct Receiving: Sendable {
    var plan: SubscriptionPlan
    var wantsLevels: Bool
    var transport: SubscribeTransport?
    /// Whether a transport existed before, which the next one replaces.
    var hadTransport = false
    /// The number of the last offer.
    var offers = 0
    /// Tracks that it wants and whose publishers don't permit it. The participant's client knows of them.
    var denied: Set<TrackID> = []
    /// The codecs of video that its client has rejected.
    var lacks: Set<String> = []

    /// Whether a transport is offered before there is a track.
    var opensAtOnce: Bool

    /// Whether it may receive tracks of others.
    var concernsTracks: Bool { plan.automatic || plan.hasChoices || transport != nil }

    init(
      plan: SubscriptionPlan = SubscriptionPlan(automatic: false), wantsLevels: Bool = false, opensAtOnce: Bool = false
    ) {
      self.opensAtOnce = opensAtOnce
      self.plan = plan
      self.wantsLevels = wantsLevels
    }
  }

  init(
    _ token: RoomToken, _ presence: Presence, session: SessionID, joinedAt: Int64, connection: ConnectionID? = nil,
    isConnected: Bool = true, receiving: Receiving = Receiving(), annex: MediaAnnexID? = nil
  ) {
    self.token = token
    self.presence = presence
    self.session = session
    self.joinedAt = joinedAt
    self.connection = connection
    self.isConnected = isConnected
    self.receiving = receiving
    self.annex = annex
    user = token.user
    quality = UserQuality(userId: token.user)
  }

  var grants: Grants { permissions?.grants ?? token.grants }

  /// Whether it may publish a track with a tag, if it may publish at all.
  func mayPublish(tag: String) -> Bool { permissions?.allows(tag: tag) ?? true }
  var isHidden: Bool { grants.contains(.hidden) }

  /// Whether a user may receive one of its tracks.
  func permits(_ track: TrackID, to user: UserID) -> Bool { user == self.user || subscribers.allows(track, to: user) }

  /// Whether the server itself added it: a mix, or a participant of another room.
  var isVirtual: Bool {
    switch presence {
    case .mix, .guest, .forwarded: true
    case .client, .whip, .encoder: false
    }
  }

  /// Whether lists and counts of people have it.
  var isVisible: Bool { !isHidden && !isVirtual }

  /// Whether a room stays open for it.
  var isPerson: Bool { !isVirtual && !traits.contains(.isAgent) }

  /// Whether participant counts and limits exclude it: the room's own mix, or another room's anchor.
  var isUncounted: Bool { presence.isGuest || presence.mixJob == .stage }

  /// Whether it receives tracks by subscriptions.
  var subscribes: Bool { presence.isClient && grants.contains(.subscribe) }

  var info: ParticipantInfo {
    ParticipantInfo(
      userId: user, grants: grants, joinedAt: joinedAt, connected: isConnected, tracks: tracks.map(\.info), profile: profile,
      permissions: permissions, kind: traits.contains(.isAgent) ? .agent : presence.kind)
  }

  func track(_ id: TrackID) -> PublishedTrack? { tracks.first { $0.info.trackId == id } }

  /// Returns the track of a kind that a choice resolves to: the last one with its tag, or the main one.
  func track(_ kind: TrackKind, tag: String?) -> PublishedTrack? {
    let all = tracks.filter { $0.info.kind == kind }
    if let tag { return all.last { $0.info.tag == tag } }
    return all.first { $0.info.master } ?? all.first
  }
}

/// How a participant is connected to the room.
enum Presence: Sendable {
  /// By signalling.
  case client
  /// By WHIP: its media is its only connection.
  case whip(SessionResource)
  /// An encoder.
  case encoder(EncoderProtocol)
  /// A mix of the room, which a job publishes.
  case mix(JobID)
  /// During a PK by bridge: the anchor of the other room.
  case guest(PKID)
  /// A participant of that room, whose tracks appear in this one.
  case forwarded(RoomName)

  var isClient: Bool { if case .client = self { true } else { false } }
  var isEncoder: Bool { if case .encoder = self { true } else { false } }
  var resource: SessionResource? { if case .whip(let resource) = self { resource } else { nil } }
  /// The job whose mix it is.
  var mixJob: JobID? { if case .mix(let job) = self { job } else { nil } }
  /// Nil for a client.
  var kind: ParticipantKind? {
    switch self {
    case .client: nil
    case .whip: .whip
    case .encoder: .encoder
    case .mix: .mix
    case .guest: .guest
    case .forwarded: .forwarded
    }
  }
  /// Whether its tracks are those of another room.
  var isLinked: Bool { kind == .guest || kind == .forwarded }
  var isGuest: Bool { if case .guest = self { true } else { false } }
}

/// Identifies a socket or an encoder that belongs to a participant.
package struct ConnectionID: Hashable, Sendable {
  let rawValue: UInt64
  init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

extension JobID {
  /// The job of the room's own mix.
  package static let stage: JobID = "@mix"
  /// The job for viewers of a room without a live.
  package static let watch: JobID = "@watch"
}
