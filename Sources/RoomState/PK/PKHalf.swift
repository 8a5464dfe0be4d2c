import RoomProtocol

/// A room's half of PKs: invitations of both directions, and the one PK that is beginning or running.
struct PKHalf: Codable, Hashable, Sendable {
  /// An accepted invitation that the other room has to begin.
  struct Accepted: Codable, Hashable, Sendable {
    var pkId: PKID
    var by: UserID
    var until: Int64
  }

  /// Those that wait, in the order told; of the room's own there is one at most.
  private(set) var invitations: [PKInvitation] = []
  /// The room's own.
  var outgoing: PKID?
  /// Came from the very room that is invited, while that was on its way. The invitation of the room with the smaller name goes
  /// first, which is the outgoing one here; this one counts if that comes to nothing.
  var crossed: PKInvitation?
  /// It waits among the invitations.
  var accepted: Accepted?
  var running: RunningPK?
  private var over = RecentIDs()

  /// The PK that the room is in.
  var info: PKInfo? { running?.info }
  /// A PK runs or is about to.
  var isBusy: Bool { running != nil || accepted != nil }
  var incomingCount: Int { invitations.count - (outgoing == nil ? 0 : 1) }

  subscript(pkId: PKID) -> PKInvitation? { invitations.first { $0.pkId == pkId } }
  var outgoingInvitation: PKInvitation? { outgoing.flatMap { self[$0] } }

  /// Whether something was heard of the PK before.
  func knows(_ pkId: PKID) -> Bool {
    self[pkId] != nil || crossed?.pkId == pkId || running?.info.pkId == pkId || over.contains(pkId)
  }

  mutating func append(_ invitation: PKInvitation) { invitations.append(invitation) }

  /// The invitation waits no more and does not come again.
  mutating func conclude(_ pkId: PKID) {
    over.insert(pkId)
    invitations.removeAll { $0.pkId == pkId }
    if outgoing == pkId { outgoing = nil }
    if crossed?.pkId == pkId { crossed = nil }
    if accepted?.pkId == pkId { accepted = nil }
  }

  /// When an invitation ends by itself.
  func expiry(of invitation: PKInvitation) -> Int64 {
    if let accepted, accepted.pkId == invitation.pkId { accepted.until } else { invitation.expiresAt }
  }

  /// When something ends by itself.
  var deadline: Int64? {
    if let running { return running.deadline }
    var soonest: Int64?
    for invitation in invitations {
      let expiry = expiry(of: invitation)
      if expiry < soonest ?? .max { soonest = expiry }
    }
    return soonest
  }
}

/// A PK that is on.
struct RunningPK: Codable, Hashable, Sendable {
  var info: PKInfo
  /// Of the last update sent.
  var version = 0
  /// Of the last update heard.
  var peerVersion = 0
  var atHome = true
  /// This room's anchor, who moves, is in the other room.
  var away = false
  var peerAtHome = true
  /// The other room's anchor, who moves, is here.
  var hasGuest = false
  /// This side's anchor left; that it is in the room again does not mean that it goes on.
  var awaitsResume = false
  /// Until when this side's anchor may be gone; nil while it is there.
  var goneUntil: Int64?
  var peerGoneUntil: Int64?
  /// When the other room is told again how this side is.
  var nextBeat: Int64
  /// When the other room counts as silent; nil while it does.
  var silentAt: Int64?

  init(info: PKInfo, now: Int64, rules: RoomRules) {
    self.info = info
    nextBeat = now + rules.pkBeatTime
    silentAt = now + rules.pkSilenceTime
  }

  var update: PKUpdate {
    PKUpdate(
      version: version, startedAt: info.startedAt, score: info.score, mutesPeer: info.peerMuted, atHome: atHome,
      hasGuest: hasGuest)
  }

  var deadline: Int64 {
    var soonest = nextBeat
    for other in [goneUntil, peerGoneUntil, silentAt] {
      if let other, other < soonest { soonest = other }
    }
    return soonest
  }

  /// Whether the anchors are there follows from where they are; who is gone has the grace time.
  mutating func settle(now: Int64, grace: Int64) {
    let isHeard = silentAt != nil
    info.connected = atHome || (away && isHeard)
    info.peerConnected = (peerAtHome || hasGuest) && isHeard
    goneUntil = info.connected ? nil : goneUntil ?? now + grace
    peerGoneUntil = info.peerConnected ? nil : peerGoneUntil ?? now + grace
  }
}

/// The last ids of what is over, so that a late or second message does not bring it back.
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
