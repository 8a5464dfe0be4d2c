import RoomProtocol

/// What one room's half of a PK says to the other's. It may come late, twice, or before one that was sent earlier.
public struct PKMessage: Codable, Hashable, Sendable {
  public enum Body: Codable, Hashable, Sendable {
    /// `user` is the anchor that is meant, empty for whoever is the host.
    case invite(host: UserID, user: UserID, way: PKWay, by: UserID)
    /// The invitation is over: cancelled, timed out, or crossed by the other room's.
    case cancel(PKOutcome)
    /// Yes; `host` is the anchor. The PK is on when the inviting room says so with `begin`.
    case accept(host: UserID)
    /// No: rejected, timed out, or failed with an error.
    case reject(PKOutcome, reason: String?, error: RoomError?)
    case begin(startedAt: Int64)
    case update(PKUpdate)
    /// There is no such PK here, any more or at all. Never answered.
    case end(PKEndReason, by: UserID)
  }

  public var pkId: PKID
  /// The room that says it.
  public var from: RoomName
  /// The room that it is for.
  public var to: RoomName
  public var body: Body

  /// What comes back where the room that it is for does not exist; nil where nothing does.
  public var bounced: PKMessage? {
    let error = RoomError(.noSuchRoom, "there is no room \"\(to.brief)\"")
    return switch body {
    case .invite: PKMessage(pkId: pkId, from: to, to: from, body: .reject(.failed, reason: nil, error: error))
    case .accept, .begin, .update: PKMessage(pkId: pkId, from: to, to: from, body: .end(.failed, by: ""))
    case .cancel, .reject, .end: nil
    }
  }
}

/// How one side of a running PK is.
public struct PKUpdate: Codable, Hashable, Sendable {
  /// Grows with each; an older one is not news.
  public var version: Int
  public var startedAt: Int64
  public var score: Int
  /// The side does not hear the other.
  public var mutesPeer: Bool
  /// Its anchor is in its own room.
  public var atHome: Bool
  /// The other side's anchor, who moves, is here.
  public var hasGuest: Bool
}
