/// How the two sides of a PK come together; viewers see the same.
public enum PKWay: String, Codable, Sendable, Hashable, CaseIterable {
  /// Each anchor stays in its room, the server carries the tracks across.
  case bridge
  /// The inviting anchor leaves its room, joins the other with a PK token, and comes back at the end.
  case move
}

/// One side of a PK.
public struct PKSide: Codable, Sendable, Hashable {
  public var room: RoomName
  /// The anchor. Of an invited side empty until that room has named its host.
  public var userId: UserID

  public init(room: RoomName, userId: UserID) {
    self.room = room
    self.userId = userId
  }
}

/// A room asks another for a PK.
public struct PKInvitation: Codable, Sendable, Hashable {
  public var pkId: PKID
  public var from: PKSide
  public var to: PKSide
  public var way: PKWay
  /// Who invited; empty for the API.
  public var by: UserID
  /// Milliseconds since 1970.
  public var at: Int64
  /// When it ends by itself; milliseconds since 1970.
  public var expiresAt: Int64

  public init(pkId: PKID, from: PKSide, to: PKSide, way: PKWay, by: UserID, at: Int64, expiresAt: Int64) {
    self.pkId = pkId
    self.from = from
    self.to = to
    self.way = way
    self.by = by
    self.at = at
    self.expiresAt = expiresAt
  }
}

/// What became of an invitation to a PK.
public enum PKOutcome: String, Codable, Sendable, Hashable, CaseIterable {
  /// The PK begins.
  case accepted
  case rejected
  case cancelled
  case timedOut
  /// The other room had invited at the same time; that invitation goes on instead.
  case crossed
  /// It could not be told, answered or begun; `error` says why.
  case failed
}

public struct PKInvitationEndedData: Codable, Sendable, Hashable {
  public var pkId: PKID
  public var outcome: PKOutcome
  /// What the one who rejected said.
  public var reason: String?
  /// Of `failed`: 10011 (no such room), 10012 (that room is in a PK), 80103 (no such user), 80702, 80705.
  public var error: RoomError?
  /// Who decided in this room; empty for the API, the other room and time.
  public var by: UserID

  public init(pkId: PKID, outcome: PKOutcome, reason: String? = nil, error: RoomError? = nil, by: UserID = "") {
    self.pkId = pkId
    self.outcome = outcome
    self.reason = reason
    self.error = error
    self.by = by
  }
}

/// The PK that the room is in, as seen from this room: its own side is shown on the left.
public struct PKInfo: Codable, Sendable, Hashable {
  public var pkId: PKID
  public var way: PKWay
  /// The other room.
  public var room: RoomName
  /// The other room's anchor.
  public var userId: UserID
  /// This room's anchor.
  public var host: UserID
  /// Whether this room invited; with `move` it is its anchor that moves.
  public var inviter: Bool
  /// Milliseconds since 1970; the same in both rooms.
  public var startedAt: Int64
  public var score: Int
  public var peerScore: Int
  /// This room does not hear the other anchor.
  public var peerMuted: Bool
  /// The other room does not hear this room's anchor.
  public var mutedByPeer: Bool
  /// False while this side's anchor is gone and may come back.
  public var connected: Bool
  /// False while the other's is.
  public var peerConnected: Bool

  public init(
    pkId: PKID, way: PKWay = .bridge, room: RoomName, userId: UserID, host: UserID, inviter: Bool, startedAt: Int64,
    score: Int = 0, peerScore: Int = 0, peerMuted: Bool = false, mutedByPeer: Bool = false, connected: Bool = true,
    peerConnected: Bool = true
  ) {
    self.pkId = pkId
    self.way = way
    self.room = room
    self.userId = userId
    self.host = host
    self.inviter = inviter
    self.startedAt = startedAt
    self.score = score
    self.peerScore = peerScore
    self.peerMuted = peerMuted
    self.mutedByPeer = mutedByPeer
    self.connected = connected
    self.peerConnected = peerConnected
  }
}

/// Why a PK is over.
public enum PKEndReason: String, Codable, Sendable, Hashable, CaseIterable {
  /// One side wanted it.
  case quit
  /// A side was gone for longer than the grace time.
  case lost
  case roomClosed
  /// The other room does not know of it.
  case failed
}

public struct PKEndedData: Codable, Sendable, Hashable {
  public var pkId: PKID
  public var reason: PKEndReason
  /// The room that ended it.
  public var room: RoomName
  /// Who ended it, in that room; empty for the API and where nobody did.
  public var by: UserID
  public var score: Int
  public var peerScore: Int

  public init(pkId: PKID, reason: PKEndReason, room: RoomName, by: UserID, score: Int, peerScore: Int) {
    self.pkId = pkId
    self.reason = reason
    self.room = room
    self.by = by
    self.score = score
    self.peerScore = peerScore
  }
}

/// With `move`: what the inviting anchor joins the other room with. Told to it alone.
public struct PKTokenData: Codable, Sendable, Hashable {
  public var pkId: PKID
  public var room: RoomName
  public var token: String

  public init(pkId: PKID, room: RoomName, token: String) {
    self.pkId = pkId
    self.room = room
    self.token = token
  }
}

/// A relay job's broadcast has changed over to the split screen of a PK.
public struct PKOnAirData: Codable, Sendable, Hashable {
  public var pkId: PKID
  public var jobId: JobID

  public init(pkId: PKID, jobId: JobID) {
    self.pkId = pkId
    self.jobId = jobId
  }
}
