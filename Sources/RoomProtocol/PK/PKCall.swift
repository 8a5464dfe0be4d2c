/// The calls that control a PK. The calls need the `admin` grant; `resume` and `quit` are also allowed for the anchors.
public enum PKCall: Sendable, Hashable {
  /// Invites another room.
  case invite(PKInviteParams)
  /// Cancels an invitation that this room sent.
  case cancel(PKParams)
  /// Accepts an invitation.
  case accept(PKParams)
  /// Rejects an invitation.
  case reject(PKRejectParams)
  /// Looks for an opponent.
  case match(PKMatchParams)
  /// Ends the search for an opponent.
  case cancelMatch
  /// Mutes or unmutes the other anchor in this room and its broadcast.
  case mutePeer(PKMuteParams)
  /// Invites the rooms of the last PK again.
  case rematch
  /// Sets this room's score.
  case setScore(PKScoreParams)
  /// Adds a gift to this room's score.
  case addGift(PKGiftParams)
  /// Moves the end of the PK to a later time.
  case extend(PKExtendParams)
  /// Removes a room from a PK of several rooms.
  case remove(PKRemoveParams)
  /// Resumes the PK after the anchor disconnected and joined again.
  case resume
  /// Ends a PK of two rooms; leaves one of several.
  case quit
}

/// The parameters of a PK invitation.
public struct PKInviteParams: Codable, Sendable, Hashable {
  /// The room to invite.
  public var room: RoomName
  /// The anchor to invite; nil for that room's host.
  public var userId: UserID?
  /// How the anchors are connected; nil means ``PKMode/bridge``.
  public var mode: PKMode?
  /// How long the PK lasts in seconds, 10…86400; nil until somebody ends it.
  public var duration: Int?
  /// Further rooms to invite to the same PK, at most 7; nil for none. The PK begins with the first room that accepts.
  public var others: [PKInvitee]?
  /// The running PK of this room that the invited one is to join; nil for a new PK.
  public var pkId: PKID?
  /// The number of the invited room's team, 0…8; nil if the room plays alone.
  public var team: Int?
  /// The number of the inviting room's team in a new PK, 0…8; nil if the room plays alone.
  public var ownTeam: Int?
  /// The rules of a new PK.
  public var rules: PKRules?

  private enum CodingKeys: String, CodingKey {
    case room, userId, duration, others, pkId, team, ownTeam, rules
    case mode = "way"
  }

  /// Creates the parameters of an invitation to a PK of two; set the other properties for one of several rooms.
  public init(room: RoomName, userId: UserID? = nil, mode: PKMode? = nil, duration: Int? = nil) {
    self.room = room
    self.userId = userId
    self.mode = mode
    self.duration = duration
  }
}

/// A further room to invite to a PK.
public struct PKInvitee: Codable, Sendable, Hashable {
  /// The room to invite.
  public var room: RoomName
  /// The anchor to invite; nil for that room's host.
  public var userId: UserID?
  /// The number of the room's team, 0…8; nil if the room plays alone.
  public var team: Int?

  /// Creates the description of a room to invite.
  public init(room: RoomName, userId: UserID? = nil, team: Int? = nil) {
    self.room = room
    self.userId = userId
    self.team = team
  }
}

/// The parameters of a call that concerns one PK invitation.
public struct PKParams: Codable, Sendable, Hashable {
  /// The PK's id, chosen by the server.
  public var pkId: PKID
  /// Creates the parameters.
  public init(pkId: PKID) { self.pkId = pkId }
}

/// The parameters of the rejection of a PK invitation.
public struct PKRejectParams: Codable, Sendable, Hashable {
  /// The PK's id, chosen by the server.
  public var pkId: PKID
  /// The reason for the other room, at most 256 bytes; nil for none.
  public var reason: String?

  /// Creates the parameters.
  public init(pkId: PKID, reason: String? = nil) {
    self.pkId = pkId
    self.reason = reason
  }
}

/// The parameters that mute or unmute the other anchor.
public struct PKMuteParams: Codable, Sendable, Hashable {
  /// Whether the other anchor is muted.
  public var muted: Bool
  /// The room of the anchor in a PK of several rooms; nil for the first of the others.
  public var room: RoomName?
  /// Whether to mute the anchor for all rooms instead, which only the room that invited the anchor's, and the first one, may do;
  /// nil means false.
  public var forAll: Bool?

  /// Creates the parameters.
  public init(muted: Bool, room: RoomName? = nil, forAll: Bool? = nil) {
    self.muted = muted
    self.room = room
    self.forAll = forAll
  }
}

/// The parameters that remove a room from a PK.
public struct PKRemoveParams: Codable, Sendable, Hashable {
  /// The room to remove.
  public var room: RoomName
  /// Creates the parameters.
  public init(room: RoomName) { self.room = room }
}

/// The parameters that set this room's score.
public struct PKScoreParams: Codable, Sendable, Hashable {
  /// The total score of this room, −(2^53 − 1)…2^53 − 1, which JavaScript numbers can represent.
  public var score: Int
  /// Creates the parameters.
  public init(score: Int) { self.score = score }
}

/// The parameters that move the end of a PK to a later time.
public struct PKExtendParams: Codable, Sendable, Hashable {
  /// The seconds to add, 1…86400; without an end so far, they count from now.
  public var seconds: Int
  /// Creates the parameters.
  public init(seconds: Int) { self.seconds = seconds }
}

/// The result of a PK invitation.
public struct PKInviteResult: Codable, Sendable, Hashable {
  /// The PK's id, chosen by the server.
  public var pkId: PKID
  /// The time at which the invitation times out, in milliseconds since 1970.
  public var expiresAt: Int64

  /// Creates the result.
  public init(pkId: PKID, expiresAt: Int64) {
    self.pkId = pkId
    self.expiresAt = expiresAt
  }
}

extension PKCall: NestedCall {
  /// The method's name on the wire.
  public var method: String {
    switch self {
    case .invite: "invitePK"
    case .cancel: "cancelPK"
    case .accept: "acceptPK"
    case .reject: "rejectPK"
    case .match: "matchPK"
    case .cancelMatch: "cancelMatch"
    case .mutePeer: "mutePKPeer"
    case .rematch: "rematchPK"
    case .setScore: "setPKScore"
    case .addGift: "addPKGift"
    case .extend: "extendPK"
    case .remove: "removeFromPK"
    case .resume: "resumePK"
    case .quit: "quitPK"
    }
  }

  init?(method: String, params: CallParams) throws {
    switch method {
    case "invitePK": self = .invite(try params.read())
    case "cancelPK": self = .cancel(try params.read())
    case "acceptPK": self = .accept(try params.read())
    case "rejectPK": self = .reject(try params.read())
    case "matchPK": self = .match(try params.read())
    case "cancelMatch": self = .cancelMatch
    case "mutePKPeer": self = .mutePeer(try params.read())
    case "rematchPK": self = .rematch
    case "setPKScore": self = .setScore(try params.read())
    case "addPKGift": self = .addGift(try params.read())
    case "extendPK": self = .extend(try params.read())
    case "removeFromPK": self = .remove(try params.read())
    case "resumePK": self = .resume
    case "quitPK": self = .quit
    default: return nil
    }
  }

  var params: (any Encodable)? {
    switch self {
    case .invite(let params): params
    case .cancel(let params), .accept(let params): params
    case .reject(let params): params
    case .match(let params): params
    case .mutePeer(let params): params
    case .setScore(let params): params
    case .addGift(let params): params
    case .extend(let params): params
    case .remove(let params): params
    case .cancelMatch, .rematch, .resume, .quit: nil
    }
  }
}
