import RoomProtocol

/// A room's half of its PKs: invitations in both directions, and the one PK that is starting or running.
struct PKHalf: Codable, Hashable, Sendable {
  /// An accepted invitation whose PK the other room has to start.
  struct Accepted: Codable, Hashable, Sendable {
    var pkId: PKID
    var by: UserID
    var until: Int64
  }

  /// The rooms and the terms of the last PK, for a rematch.
  struct LastMet: Codable, Hashable, Sendable {
    var rooms: [PKInvitee]
    var ownTeam: Int?
    var mode: PKMode
    var duration: Int?
    var rules: PKRules?
    var isMeeting: Bool
  }

  struct LastMeeting: Codable, Hashable, Sendable {
    var pkId: PKID
    var charter: PKCharter
    var counts: Bool
  }

  /// Pending invitations, in the order announced.
  private(set) var invitations: [PKInvitation] = []
  /// The room's own pending invitation; the first of those that lead to the same PK.
  private(set) var outgoing: PKID?
  /// The further ones; nil for none.
  private(set) var furtherOutgoing: [PKID]?
  /// The own team in the PK that the invitations lead to; nil for none.
  var ownTeam: Int?
  /// An invitation from the room that this room has invited; the two crossed. The invitation of the room whose name sorts first
  /// has precedence, which is the outgoing one here; this one counts if the outgoing one fails.
  var crossed: PKInvitation?
  /// The invitation remains in `invitations`.
  var accepted: Accepted?
  var running: RunningPK?
  private var over = RecentIDs()
  /// What the room held of the last PK of several rooms that is over here; another room may lack that.
  var lastMeeting: LastMeeting?
  /// Nil before the end of the first PK.
  var lastMet: LastMet?

  /// The running PK.
  var info: PKInfo? { running?.info }
  /// Whether a PK is running or about to start.
  var isBusy: Bool { running != nil || accepted != nil }
  var incomingCount: Int { invitations.count - outgoingInvitations.count }

  subscript(pkId: PKID) -> PKInvitation? { invitations.first { $0.pkId == pkId } }
  var outgoingInvitation: PKInvitation? { outgoing.flatMap { self[$0] } }
  var outgoingInvitations: [PKInvitation] { invitations.filter { isOutgoing($0.pkId) } }

  func isOutgoing(_ pkId: PKID) -> Bool { outgoing == pkId || furtherOutgoing?.contains(pkId) ?? false }

  /// Returns whether the PK's id is known, as pending, running or over.
  func knows(_ pkId: PKID) -> Bool {
    self[pkId] != nil || crossed?.pkId == pkId || running?.info.pkId == pkId || over.contains(pkId)
  }

  mutating func append(_ invitation: PKInvitation) { invitations.append(invitation) }

  /// Adds an invitation of the room's own.
  mutating func appendOutgoing(_ invitation: PKInvitation) {
    append(invitation)
    if outgoing == nil { outgoing = invitation.pkId } else { furtherOutgoing = (furtherOutgoing ?? []) + [invitation.pkId] }
  }

  /// Removes the invitation and remembers its id, so that a late message does not restore it.
  mutating func conclude(_ pkId: PKID) {
    over.insert(pkId)
    invitations.removeAll { $0.pkId == pkId }
    furtherOutgoing?.removeAll { $0 == pkId }
    if outgoing == pkId { outgoing = furtherOutgoing?.first }
    furtherOutgoing?.removeAll { $0 == outgoing }
    if furtherOutgoing?.isEmpty ?? false { furtherOutgoing = nil }
    if crossed?.pkId == pkId { crossed = nil }
    if accepted?.pkId == pkId { accepted = nil }
  }

  /// Returns when an invitation expires; milliseconds since 1970.
  func expiry(of invitation: PKInvitation) -> Int64 {
    if let accepted, accepted.pkId == invitation.pkId { accepted.until } else { invitation.expiresAt }
  }

  /// The next time that something expires; milliseconds since 1970.
  var deadline: Int64? {
    var soonest = running?.deadline
    for invitation in invitations {
      let expiry = expiry(of: invitation)
      if expiry < soonest ?? .max { soonest = expiry }
    }
    return soonest
  }
}

/// The ids of PKs that ended last, so that a late or duplicate message does not restore one.
struct RecentIDs: Codable, Hashable, Sendable {
  static let limit = 64
  private var ids: [PKID] = []

  func contains(_ id: PKID) -> Bool { ids.contains(id) }

  mutating func insert(_ id: PKID) {
    guard !ids.contains(id) else { return }
    if ids.count >= Self.limit { ids.removeFirst() }
    ids.append(id)
  }
}

extension PKHalf.LastMet {
  init(_ running: RunningPK) {
    let meeting = running.meeting
    let charter = meeting?.charter
    // Also those that have just left, because the time is over.
    let others = charter?.parties.filter { $0.room != meeting?.room }.map { PKInvitee(room: $0.room, team: $0.team) }
    self.init(
      rooms: others ?? running.peers.map { PKInvitee(room: $0.room) },
      ownTeam: meeting.flatMap { charter?[$0.room]?.team }, mode: running.info.mode, duration: running.duration,
      rules: charter?.rules, isMeeting: charter != nil)
  }
}
