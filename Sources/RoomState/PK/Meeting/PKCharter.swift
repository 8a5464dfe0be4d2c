import RoomProtocol

/// What all rooms of a PK agree on. The leader changes the charter; a change counts once a quorum of the rooms holds it.
struct PKCharter: Codable, Hashable, Sendable {
  /// A party's claim to lead. No two parties make the same claim; a later one counts.
  struct Ballot: Codable, Hashable, Sendable, Comparable {
    var number = 0
    /// The party; empty for the ballot of the first charter, which nobody decided.
    var leader: PKID = ""

    static func < (one: Ballot, other: Ballot) -> Bool {
      (one.number, one.leader.rawValue) < (other.number, other.leader.rawValue)
    }
  }

  /// Orders the changes of all leaders.
  struct Version: Codable, Hashable, Sendable, Comparable {
    var ballot = Ballot()
    var number = 0

    static func < (one: Version, other: Version) -> Bool {
      one.ballot == other.ballot ? one.number < other.number : one.ballot < other.ballot
    }
  }

  /// A room's membership. A room that leaves and joins again is another party.
  struct Party: Codable, Hashable, Sendable {
    /// The id of the invitation that the room accepted; another one for the first room.
    var id: PKID
    var room: RoomName
    /// The room's anchor.
    var host: UserID
    /// Parties of the same team win together; nil plays alone.
    var team: Int?
    /// The room that invited this one; empty for the first room.
    var inviter: RoomName
    /// Whether the inviter mutes the party for all rooms.
    var isMuted = false
  }

  var version = Version()
  /// In the order in which the rooms joined. The first one that is reachable leads.
  var parties: [Party]
  /// Milliseconds since 1970.
  var startedAt: Int64
  var rules: PKRules?
  /// Milliseconds since 1970; nil until somebody ends the PK.
  var endsAt: Int64?
  /// How often the end was postponed because a score changed shortly before.
  var extensions = 0
  var result: PKResult?

  subscript(room: RoomName) -> Party? { parties.first { $0.room == room } }
  subscript(party id: PKID) -> Party? { parties.first { $0.id == id } }
}

/// What a member asks the leader for, until the charter shows the change.
struct PKWish: Codable, Hashable, Sendable {
  enum Change: Codable, Hashable, Sendable {
    case join(PKCharter.Party)
    case remove(PKID)
    case mute(PKID, Bool)
    /// Postpones the end; an earlier one is ignored.
    case end(at: Int64)
  }

  var change: Change
  /// When the room stops asking; milliseconds since 1970.
  var until: Int64
}

extension PKCharter {
  /// The most rooms of one PK that any setting allows.
  static let maximumParties = 9

  /// Makes a change. Repeating a change has no effect, nor has one that is no longer possible.
  mutating func apply(_ change: PKWish.Change, limit: Int) {
    guard result == nil else { return }
    switch change {
    case .join(let party):
      if parties.count < limit, self[party.room] == nil, self[party: party.id] == nil { parties.append(party) }
    case .remove(let id): parties.removeAll { $0.id == id }
    case .mute(let id, let isMuted):
      if let index = parties.firstIndex(where: { $0.id == id }) { parties[index].isMuted = isMuted }
    case .end(let time): if let end = endsAt, time > end { endsAt = time } else if endsAt == nil { endsAt = time }
    }
  }
}
