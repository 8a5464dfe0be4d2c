import RoomProtocol

/// A running PK, as its room knows it.
struct RunningPK: Codable, Hashable, Sendable {
  /// What was announced last.
  var info: PKInfo
  /// Version of the last update sent.
  var version = 0
  var atHome = true
  /// With `move`: this room's anchor is in the other room.
  var away = false
  /// With `move`: the other room's anchor is in this room.
  var hasGuest = false
  /// This side's anchor left. Joining the room again does not resume the PK; that takes `resumePK`.
  var awaitsResume = false
  /// End of the grace time of this side's anchor; nil while it is present.
  var goneUntil: Int64?
  /// Time of the next periodic update to the other rooms.
  var nextBeat: Int64
  /// The other rooms, in the order in which they joined; never empty.
  var peers: [PKPeer]
  /// What the rooms agree on; nil for a PK of two, in which each room decides.
  var meeting: PKMeeting?
  /// What this room asks the leader for; nil for nothing.
  var wishes: [PKWish]?
  /// The end of the PK for which the own score is final; nil while the score may change.
  var finalAt: Int64?
  /// Time at which a score changed last; nil if none did.
  var scoredAt: Int64?
  /// The gifts that the own score contains; nil for none.
  var gifts: GiftLedger?
  /// The duration that was agreed on first, in seconds; nil for a PK without an end.
  var duration: Int?
  /// The room that left last.
  var lastDeparture: Departure?

  struct Departure: Codable, Hashable, Sendable {
    var room: RoomName
    var reason: PKEndReason
    var by: UserID
  }

  init(info: PKInfo, now: Int64, rules: RoomRules) {
    self.info = info
    duration = info.endsAt.map { Int(($0 - info.startedAt) / 1000) }
    nextBeat = now + rules.pkBeatTime
    peers = [PKPeer(room: info.room, userId: info.userId, silentAt: now + rules.pkSilenceTime)]
  }

  /// Of a PK of two, or of the first of several others.
  var peerGoneUntil: Int64? { peers.first?.goneUntil }

  subscript(peer room: RoomName) -> PKPeer? {
    get { peers.first { $0.room == room } }
    set {
      guard let newValue, let index = peers.firstIndex(where: { $0.room == room }) else { return }
      peers[index] = newValue
    }
  }

  /// The state of this side, for the other one of a PK of two.
  var update: PKUpdate {
    PKUpdate(
      version: version, startedAt: info.startedAt, endsAt: info.endsAt, score: info.score,
      mutesPeer: peers.first?.isMuted ?? false, atHome: atHome, hasGuest: hasGuest)
  }

  /// The state of this side, for another room of a meeting.
  func report(to room: RoomName, apart: [RoomName]?) -> PKReport {
    PKReport(
      version: version, score: info.score, isAtHome: atHome, apart: apart, mutes: self[peer: room]?.isMuted ?? false,
      finalAt: finalAt)
  }

  /// Adds and removes the other rooms that the meeting has and no longer has.
  mutating func meetPeers(now: Int64, silence: Int64) {
    guard let meeting else { return }
    peers = meeting.others.map { party in
      // A room that left and joined again begins anew.
      let known = self[peer: party.room].flatMap { $0.party ?? party.id == party.id ? $0 : nil }
      var peer = known ?? PKPeer(room: party.room, userId: party.host, silentAt: now + silence)
      peer.party = party.id
      return peer
    }
  }

  /// Derives the anchors' presence from where they are, and gives an absent one the grace time.
  mutating func settle(now: Int64, grace: Int64) {
    let isHeard = peers.first?.silentAt != nil
    info.connected = atHome || (away && isHeard)
    goneUntil = info.connected ? nil : goneUntil ?? now + grace
    for index in peers.indices {
      peers[index].isConnected = (peers[index].isAtHome || hasGuest) && peers[index].silentAt != nil
      peers[index].goneUntil = peers[index].isConnected ? nil : peers[index].goneUntil ?? now + grace
    }
    describe()
  }

  /// Updates the description of the other rooms.
  private mutating func describe() {
    guard let first = peers.first else { return }
    (info.room, info.userId) = (first.room, first.userId)
    (info.peerScore, info.peerConnected, info.mutedByPeer) = (first.score, first.isConnected, first.mutesUs)
    info.peerMuted = first.isMuted || meeting?.charter[first.room]?.isMuted ?? false
    guard let meeting else { return }
    let charter = meeting.charter
    info.mutedByPeer = first.mutesUs || charter[meeting.room]?.isMuted ?? false
    // What this room asks for is shown before the leader has decided.
    let wished = (wishes ?? []).compactMap { wish in if case .end(let time) = wish.change { time } else { nil } }
    info.endsAt = (wished + [charter.endsAt].compactMap(\.self)).max()
    info.rules = charter.rules
    info.result = charter.result
    info.members = charter.parties.compactMap { party in
      var member = PKMember(
        room: party.room, userId: party.host, team: party.team, invitedBy: party.inviter.isEmpty ? nil : party.inviter,
        score: info.score, connected: info.connected, mutedForAll: party.isMuted)
      if party.room == meeting.room { return member }
      guard let peer = self[peer: party.room] else { return nil }
      (member.score, member.connected, member.muted) = (peer.score, peer.isConnected, peer.isMuted || party.isMuted)
      return member
    }
  }

  /// The time at which the PK is over after its result; milliseconds since 1970. Nil before the result.
  var closesAt: Int64? {
    info.result == nil ? nil : info.endsAt.map { $0 + Int64(info.rules?.punishment ?? 0) * 1000 }
  }

  /// The next time at which something expires.
  var deadline: Int64 {
    var times = [nextBeat, goneUntil] + peers.map(\.silentAt)
    if meeting == nil {
      times += [peerGoneUntil, info.endsAt]
    } else {
      times += [finalAt == info.endsAt ? nil : info.endsAt, closesAt]
    }
    return times.compactMap(\.self).min() ?? nextBeat
  }
}

extension RunningPK {
  private enum CodingKeys: String, CodingKey {
    case info, version, atHome, away, hasGuest, awaitsResume, goneUntil, nextBeat, peers, meeting, wishes, finalAt,
      scoredAt, gifts, duration, lastDeparture
  }

  /// The keys of a PK that a server without PKs of several rooms stored.
  private enum PairKeys: String, CodingKey {
    case peerVersion, peerAtHome, peerGoneUntil, silentAt
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    info = try values.decode(PKInfo.self, forKey: .info)
    version = try values.decode(Int.self, forKey: .version)
    atHome = try values.decode(Bool.self, forKey: .atHome)
    away = try values.decode(Bool.self, forKey: .away)
    hasGuest = try values.decode(Bool.self, forKey: .hasGuest)
    awaitsResume = try values.decode(Bool.self, forKey: .awaitsResume)
    goneUntil = try values.decodeIfPresent(Int64.self, forKey: .goneUntil)
    nextBeat = try values.decode(Int64.self, forKey: .nextBeat)
    meeting = try values.decodeIfPresent(PKMeeting.self, forKey: .meeting)
    wishes = try values.decodeIfPresent([PKWish].self, forKey: .wishes)
    finalAt = try values.decodeIfPresent(Int64.self, forKey: .finalAt)
    scoredAt = try values.decodeIfPresent(Int64.self, forKey: .scoredAt)
    gifts = try values.decodeIfPresent(GiftLedger.self, forKey: .gifts)
    duration = try values.decodeIfPresent(Int.self, forKey: .duration)
    lastDeparture = try values.decodeIfPresent(Departure.self, forKey: .lastDeparture)
    if let peers = try values.decodeIfPresent([PKPeer].self, forKey: .peers) {
      self.peers = peers
    } else {
      let pair = try decoder.container(keyedBy: PairKeys.self)
      var peer = PKPeer(
        room: info.room, userId: info.userId, silentAt: try pair.decodeIfPresent(Int64.self, forKey: .silentAt))
      peer.version = try pair.decode(Int.self, forKey: .peerVersion)
      peer.isAtHome = try pair.decode(Bool.self, forKey: .peerAtHome)
      peer.goneUntil = try pair.decodeIfPresent(Int64.self, forKey: .peerGoneUntil)
      (peer.score, peer.isMuted, peer.mutesUs) = (info.peerScore, info.peerMuted, info.mutedByPeer)
      peer.isConnected = info.peerConnected
      peers = [peer]
    }
  }
}

/// Another room of a running PK, as this one knows it.
struct PKPeer: Codable, Hashable, Sendable {
  let room: RoomName
  /// The room's membership; nil in a PK of two.
  var party: PKID?
  /// The room's anchor.
  var userId: UserID
  /// Version of the last update received.
  var version = 0
  var score = 0
  /// Whether this room mutes the anchor.
  var isMuted = false
  /// Whether the room mutes this one's anchor.
  var mutesUs = false
  /// Rooms that never meet the room; nil for none.
  var apart: [RoomName]?
  var isAtHome = true
  var isConnected = true
  /// End of the anchor's grace time; nil while it is present.
  var goneUntil: Int64?
  /// Time at which the room counts as silent; nil once it does.
  var silentAt: Int64?
  /// The end of the PK for which the score is final; nil while the score may change.
  var finalAt: Int64?

  init(room: RoomName, userId: UserID, silentAt: Int64?) {
    self.room = room
    self.userId = userId
    self.silentAt = silentAt
  }
}

/// The state of one room of a meeting, which only that room changes.
public struct PKReport: Codable, Hashable, Sendable {
  /// Grows with each change; an older version is ignored.
  var version: Int
  var score: Int
  /// Whether the anchor is in its room.
  var isAtHome: Bool
  /// Rooms that never meet this one; nil for none.
  var apart: [RoomName]?
  /// Whether the room mutes the receiver's anchor.
  var mutes: Bool
  /// The end of the PK for which the score is final; nil while the score may change.
  var finalAt: Int64?
}
