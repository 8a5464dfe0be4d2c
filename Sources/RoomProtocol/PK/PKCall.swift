/// The calls about PK. They need the `admin` grant, but `resume` and `quit` are also for the anchors.
public enum PKCall: Sendable, Hashable {
  case invite(PKInviteParams)
  case cancel(PKParams)
  case accept(PKParams)
  case reject(PKRejectParams)
  case mutePeer(PKMuteParams)
  case setScore(PKScoreParams)
  /// The anchor was gone, has joined anew, and goes on.
  case resume
  case quit
}

public struct PKInviteParams: Codable, Sendable, Hashable {
  public var room: RoomName
  /// The anchor meant; whoever is that room's host if absent.
  public var userId: UserID?
  /// `bridge` if absent.
  public var way: PKWay?

  public init(room: RoomName, userId: UserID? = nil, way: PKWay? = nil) {
    self.room = room
    self.userId = userId
    self.way = way
  }
}

public struct PKParams: Codable, Sendable, Hashable {
  public var pkId: PKID
  public init(pkId: PKID) { self.pkId = pkId }
}

public struct PKRejectParams: Codable, Sendable, Hashable {
  public var pkId: PKID
  /// For the other side; at most 256 bytes.
  public var reason: String?

  public init(pkId: PKID, reason: String? = nil) {
    self.pkId = pkId
    self.reason = reason
  }
}

public struct PKMuteParams: Codable, Sendable, Hashable {
  public var muted: Bool
  public init(muted: Bool) { self.muted = muted }
}

public struct PKScoreParams: Codable, Sendable, Hashable {
  /// This room's, as a whole; −(2^53 − 1) to 2^53 − 1, which every client's numbers hold.
  public var score: Int
  public init(score: Int) { self.score = score }
}

public struct PKInviteResult: Codable, Sendable, Hashable {
  public var pkId: PKID
  /// Milliseconds since 1970.
  public var expiresAt: Int64

  public init(pkId: PKID, expiresAt: Int64) {
    self.pkId = pkId
    self.expiresAt = expiresAt
  }
}

extension PKCall: NestedCall {
  public var method: String {
    switch self {
    case .invite: "invitePK"
    case .cancel: "cancelPK"
    case .accept: "acceptPK"
    case .reject: "rejectPK"
    case .mutePeer: "mutePKPeer"
    case .setScore: "setPKScore"
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
    case "mutePKPeer": self = .mutePeer(try params.read())
    case "setPKScore": self = .setScore(try params.read())
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
    case .mutePeer(let params): params
    case .setScore(let params): params
    case .resume, .quit: nil
    }
  }
}
