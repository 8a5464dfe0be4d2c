import RoomProtocol

/// A room's half of its PKs: invitations in both directions, and the one PK that is starting or running.
struct PKHalf: Codable, Hashable, Sendable {
  /// An accepted invitation whose PK the other room has to start.
  struct Accepted: Codable, Hashable, Sendable {
    var pkId: PKID
    var by: UserID
    var until: Int64
  }

  /// Pending invitations, in the order announced; at most one is the room's own.
  private(set) var invitations: [PKInvitation] = []
  /// The room's own pending invitation.
  var outgoing: PKID?
  /// An invitation from the room that this room has invited; the two crossed. The invitation of the room whose name sorts first
  /// has precedence, which is the outgoing one here; this one counts if the outgoing one fails.
  var crossed: PKInvitation?
  /// The invitation remains in `invitations`.
  var accepted: Accepted?
  var running: RunningPK?
  private var over = RecentIDs()

  /// The running PK.
  var info: PKInfo? { running?.info }
  /// Whether a PK is running or about to start.
  var isBusy: Bool { running != nil || accepted != nil }
  var incomingCount: Int { invitations.count - (outgoing == nil ? 0 : 1) }

  subscript(pkId: PKID) -> PKInvitation? { invitations.first { $0.pkId == pkId } }
  var outgoingInvitation: PKInvitation? { outgoing.flatMap { self[$0] } }

  /// Returns whether the PK's id is known, as pending, running or over.
  func knows(_ pkId: PKID) -> Bool {
    self[pkId] != nil || crossed?.pkId == pkId || running?.info.pkId == pkId || over.contains(pkId)
  }

  mutating func append(_ invitation: PKInvitation) { invitations.append(invitation) }

  /// Removes the invitation and remembers its id, so that a late message does not restore it.
  mutating func conclude(_ pkId: PKID) {
    over.insert(pkId)
    invitations.removeAll { $0.pkId == pkId }
    if outgoing == pkId { outgoing = nil }
    if crossed?.pkId == pkId { crossed = nil }
    if accepted?.pkId == pkId { accepted = nil }
  }

  /// Returns when an invitation expires; milliseconds since 1970.
  func expiry(of invitation: PKInvitation) -> Int64 {
    if let accepted, accepted.pkId == invitation.pkId { accepted.until } else { invitation.expiresAt }
  }

  /// The next time that something expires; milliseconds since 1970.
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

/// A running PK.
struct RunningPK: Codable, Hashable, Sendable {
  var info: PKInfo
  /// Version of the last update sent.
  var version = 0
  /// Version of the last update received.
  var peerVersion = 0
  var atHome = true
  /// With `move`: this room's anchor is in the other room.
  var away = false
  var peerAtHome = true
  /// With `move`: the other room's anchor is in this room.
  var hasGuest = false
  /// This side's anchor left. Joining the room again does not resume the PK; that takes `resumePK`.
  var awaitsResume = false
  /// End of the grace time of this side's anchor; nil while it is present.
  var goneUntil: Int64?
  var peerGoneUntil: Int64?
  /// Time of the next periodic update to the other room.
  var nextBeat: Int64
  /// Time at which the other room counts as silent; nil once it does.
  var silentAt: Int64?

  init(info: PKInfo, now: Int64, rules: RoomRules) {
    self.info = info
    nextBeat = now + rules.pkBeatTime
    silentAt = now + rules.pkSilenceTime
  }

  var update: PKUpdate {
    PKUpdate(
      version: version, startedAt: info.startedAt, endsAt: info.endsAt, score: info.score, mutesPeer: info.peerMuted,
      atHome: atHome, hasGuest: hasGuest)
  }

  var deadline: Int64 {
    var soonest = nextBeat
    for other in [goneUntil, peerGoneUntil, silentAt, info.endsAt] {
      if let other, other < soonest { soonest = other }
    }
    return soonest
  }

  /// Derives the anchors' presence from where they are, and gives an absent one the grace time.
  mutating func settle(now: Int64, grace: Int64) {
    let isHeard = silentAt != nil
    info.connected = atHome || (away && isHeard)
    info.peerConnected = (peerAtHome || hasGuest) && isHeard
    goneUntil = info.connected ? nil : goneUntil ?? now + grace
    peerGoneUntil = info.peerConnected ? nil : peerGoneUntil ?? now + grace
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
