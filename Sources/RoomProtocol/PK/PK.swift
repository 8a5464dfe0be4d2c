/// How the two anchors of a PK are connected. Viewers see the same result.
public enum PKMode: String, Codable, Sendable, Hashable, CaseIterable {
  /// Each anchor stays in its room; the server carries the tracks across.
  case bridge
  /// The inviting anchor leaves its room, joins the other one with a PK token, and returns at the end.
  case move
}

/// One side of a PK.
public struct PKSide: Codable, Sendable, Hashable {
  /// The room's name.
  public var room: RoomName
  /// The room's anchor. Empty for the invited side until that room has named its host.
  public var userId: UserID

  /// Creates one side of a PK.
  public init(room: RoomName, userId: UserID) {
    self.room = room
    self.userId = userId
  }
}

/// A pending invitation of one room to another for a PK.
public struct PKInvitation: Codable, Sendable, Hashable {
  /// The PK's id.
  public var pkId: PKID
  /// The inviting side.
  public var from: PKSide
  /// The invited side.
  public var to: PKSide
  /// How the two anchors are connected.
  public var mode: PKMode
  /// The user who sent the invitation; empty for a REST API call.
  public var by: UserID
  /// Milliseconds since 1970.
  public var at: Int64
  /// The time at which the invitation times out, in milliseconds since 1970.
  public var expiresAt: Int64
  /// How long the PK is to last in seconds; nil until somebody ends it.
  public var duration: Int?
  /// What the invited room joins, if it is a PK of several rooms; nil for a PK of two.
  public var terms: PKTerms?

  private enum CodingKeys: String, CodingKey {
    case pkId, from, to, by, at, expiresAt, duration, terms
    case mode = "way"
  }

  /// Creates an invitation.
  public init(
    pkId: PKID, from: PKSide, to: PKSide, mode: PKMode, by: UserID, at: Int64, expiresAt: Int64, duration: Int? = nil,
    terms: PKTerms? = nil
  ) {
    self.terms = terms
    self.duration = duration
    self.pkId = pkId
    self.from = from
    self.to = to
    self.mode = mode
    self.by = by
    self.at = at
    self.expiresAt = expiresAt
  }
}

/// The outcome of a PK invitation.
public enum PKOutcome: String, Codable, Sendable, Hashable, CaseIterable {
  /// The invitation was accepted; the PK begins.
  case accepted
  /// The invited room rejected the invitation.
  case rejected
  /// The inviting room cancelled the invitation.
  case cancelled
  /// Nobody answered within 30 s.
  case timedOut
  /// The other room sent an invitation at the same time. That one continues instead.
  case crossed
  /// The invitation could not be delivered or answered, or the PK could not begin; `error` says why.
  case failed
}

/// The data of a `pkInvitationEnded` event.
public struct PKInvitationEndedData: Codable, Sendable, Hashable {
  /// The PK's id.
  public var pkId: PKID
  /// The outcome.
  public var outcome: PKOutcome
  /// The reason that the rejecting user gave; nil if it gave none.
  public var reason: String?
  /// The error of the outcome `failed`: 10011 (no such room), 10012 (that room is in a PK), 80103 (no such user), 80702 or
  /// 80705.
  public var error: RoomError?
  /// The user of this room who decided; empty for a REST API call, for the other room and for a timeout.
  public var by: UserID

  /// Creates the data of the event.
  public init(pkId: PKID, outcome: PKOutcome, reason: String? = nil, error: RoomError? = nil, by: UserID = "") {
    self.pkId = pkId
    self.outcome = outcome
    self.reason = reason
    self.error = error
    self.by = by
  }
}

/// The PK of a room, as seen from this room: its own side is shown on the left.
public struct PKInfo: Codable, Sendable, Hashable {
  /// The PK's id.
  public var pkId: PKID
  /// How the two anchors are connected.
  public var mode: PKMode
  /// The other room.
  public var room: RoomName
  /// The other room's anchor.
  public var userId: UserID
  /// This room's anchor.
  public var host: UserID
  /// Whether this room sent the invitation. With ``PKMode/move`` the inviting anchor moves.
  public var inviter: Bool
  /// The start time in milliseconds since 1970; the same in both rooms.
  public var startedAt: Int64
  /// The time at which the PK ends by itself, in milliseconds since 1970; the same in both rooms. Nil until somebody ends it.
  public var endsAt: Int64?
  /// This room's score.
  public var score: Int
  /// The other room's score.
  public var peerScore: Int
  /// Whether the other anchor is muted in this room and its broadcast.
  public var peerMuted: Bool
  /// Whether this room's anchor is muted in the other room and its broadcast.
  public var mutedByPeer: Bool
  /// Whether this room's anchor is connected; false during the grace time of 20 s after it disconnected.
  public var connected: Bool
  /// Whether the other anchor is connected; false during its grace time.
  public var peerConnected: Bool
  /// All rooms of a PK of several rooms, in the order in which they joined; nil for a PK of two. The first of the others is
  /// also described by ``room`` and the properties of the other anchor.
  public var members: [PKMember]?
  /// The rules of a PK of several rooms; nil if there are none.
  public var rules: PKRules?
  /// The result, between the end of the time and the end of the PK; nil before.
  public var result: PKResult?

  private enum CodingKeys: String, CodingKey {
    case pkId, room, userId, host, inviter, startedAt, endsAt, score, peerScore, peerMuted, mutedByPeer, connected,
      peerConnected, members, rules, result
    case mode = "way"
  }

  /// Creates the description of a PK.
  public init(
    pkId: PKID, mode: PKMode = .bridge, room: RoomName, userId: UserID, host: UserID, inviter: Bool, startedAt: Int64,
    endsAt: Int64? = nil, score: Int = 0, peerScore: Int = 0, peerMuted: Bool = false, mutedByPeer: Bool = false,
    connected: Bool = true,
    peerConnected: Bool = true
  ) {
    self.pkId = pkId
    self.mode = mode
    self.room = room
    self.userId = userId
    self.host = host
    self.inviter = inviter
    self.startedAt = startedAt
    self.endsAt = endsAt
    self.score = score
    self.peerScore = peerScore
    self.peerMuted = peerMuted
    self.mutedByPeer = mutedByPeer
    self.connected = connected
    self.peerConnected = peerConnected
  }
}

/// The reason why a PK ended.
public enum PKEndReason: String, Codable, Sendable, Hashable, CaseIterable {
  /// One side ended the PK.
  case quit
  /// The time of a PK with a duration was over.
  case time
  /// One anchor was disconnected for longer than the grace time.
  case lost
  /// One of the rooms was closed.
  case roomClosed
  /// The other room does not know the PK, for example after a restart.
  case failed
  /// The room was removed from a PK of several rooms.
  case removed
  /// An operator keeps two of the rooms apart.
  case apart
}

/// The data of a `pkEnded` event.
public struct PKEndedData: Codable, Sendable, Hashable {
  /// The PK's id.
  public var pkId: PKID
  /// The reason.
  public var reason: PKEndReason
  /// The room that ended the PK.
  public var room: RoomName
  /// The user who ended the PK, in that room; empty for a REST API call and if no user did.
  public var by: UserID
  /// This room's score.
  public var score: Int
  /// The other room's score.
  public var peerScore: Int
  /// The result of a PK of several rooms whose time was over; else nil.
  public var result: PKResult?

  /// Creates the data of the event.
  public init(
    pkId: PKID, reason: PKEndReason, room: RoomName, by: UserID, score: Int, peerScore: Int, result: PKResult? = nil
  ) {
    self.result = result
    self.pkId = pkId
    self.reason = reason
    self.room = room
    self.by = by
    self.score = score
    self.peerScore = peerScore
  }
}

/// The token with which the inviting anchor joins the other room in a ``PKMode/move`` PK. Only that anchor receives it.
public struct PKTokenData: Codable, Sendable, Hashable {
  /// The PK's id.
  public var pkId: PKID
  /// The room's name.
  public var room: RoomName
  /// A room token for the other room.
  public var token: String

  /// Creates the data of the event.
  public init(pkId: PKID, room: RoomName, token: String) {
    self.pkId = pkId
    self.room = room
    self.token = token
  }
}

/// The data of a `pkOnAir` event: the viewers of a relay job now see the split screen of a PK.
public struct PKOnAirData: Codable, Sendable, Hashable {
  /// The PK's id.
  public var pkId: PKID
  /// The relay job's id.
  public var jobId: JobID

  /// Creates the data of the event.
  public init(pkId: PKID, jobId: JobID) {
    self.pkId = pkId
    self.jobId = jobId
  }
}
