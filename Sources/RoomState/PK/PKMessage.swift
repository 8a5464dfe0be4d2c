import RoomProtocol

/// A message from one half of a PK to the other. A message may arrive late, twice or out of order.
public struct PKMessage: Codable, Hashable, Sendable {
  public enum Body: Codable, Hashable, Sendable {
    /// `user` is the invited anchor, empty for whoever is the host.
    case invite(host: UserID, user: UserID, mode: PKMode, by: UserID, duration: Int?, terms: PKTerms? = nil)
    /// Both rooms look for an opponent and are matched. The room whose name sorts first invites the other one.
    case matched
    /// The invitation ended: cancelled, timed out, or crossed by the other room's.
    case cancel(PKOutcome)
    /// Accepts the invitation; `host` is the anchor. The PK starts when the inviting room sends `begin`.
    case accept(host: UserID)
    /// The invitation was rejected, timed out, or failed with an error.
    case reject(PKOutcome, reason: String?, error: RoomError?)
    case begin(startedAt: Int64, endsAt: Int64?)
    case update(PKUpdate)
    /// The PK ended or never existed here. Never answered.
    case end(PKEndReason, by: UserID)
    /// The state of one room of a PK of several, to each other one.
    case meet(PKBeat, PKReport)
    /// The sender left a PK of several rooms, or was never in it. Never answered.
    case depart(PKDeparture)
  }

  public var pkId: PKID
  /// The sending room.
  public var from: RoomName
  /// The receiving room.
  public var to: RoomName
  public var body: Body

  /// Creates a message.
  public init(pkId: PKID, from: RoomName, to: RoomName, body: Body) {
    (self.pkId, self.from, self.to, self.body) = (pkId, from, to, body)
  }

  /// Whether a newer message of this kind to the same room replaces this one.
  public var isBeat: Bool { if case .meet = body { true } else { false } }

  /// The answer to deliver if the receiving room does not exist; nil if the message needs none.
  public var bounced: PKMessage? {
    let error = RoomError(.noSuchRoom, "there is no room \"\(to.brief)\"")
    return switch body {
    case .invite: PKMessage(pkId: pkId, from: to, to: from, body: .reject(.failed, reason: nil, error: error))
    case .matched, .accept, .begin, .update: PKMessage(pkId: pkId, from: to, to: from, body: .end(.failed, by: ""))
    case .meet(let beat, _):
      beat.charter[to].map { party in
        PKMessage(
          pkId: pkId, from: to, to: from, body: .depart(PKDeparture(party: party.id, reason: .roomClosed, by: "", charter: nil))
        )
      }
    case .cancel, .reject, .end, .depart: nil
    }
  }
}

/// The state of one side of a running PK.
public struct PKUpdate: Codable, Hashable, Sendable {
  /// Grows with each update; an update with an older version is ignored.
  public var version: Int
  public var startedAt: Int64
  /// The end as this side knows it; the later one counts.
  public var endsAt: Int64?
  public var score: Int
  /// Whether this side mutes the other.
  public var mutesPeer: Bool
  /// Whether its anchor is in its own room.
  public var atHome: Bool
  /// With `move`: whether the other side's anchor is in this room.
  public var hasGuest: Bool
}

/// That a room left a PK of several rooms.
public struct PKDeparture: Codable, Hashable, Sendable {
  /// The membership that ended.
  var party: PKID
  var reason: PKEndReason
  /// The user who ended the room's part; empty if no user did.
  var by: UserID
  /// What the room held at last; nil if that is unknown.
  var charter: PKCharter?
  /// Whether that charter counts.
  var counts = false
}
