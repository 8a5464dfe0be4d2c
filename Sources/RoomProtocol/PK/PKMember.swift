/// The rules of a PK of several rooms.
public struct PKRules: Codable, Sendable, Hashable {
  /// How long the PK lasts on after its result, in seconds, 0…3600; nil means 0.
  public var punishment: Int?
  /// A change of a score in the last so many seconds, 1…60, postpones the end to so many seconds after the change, at most 10
  /// times; nil means never.
  public var overtime: Int?
  /// The most rooms of the PK, 2…9; nil means the server's setting.
  public var rooms: Int?
  /// The points of each gift that `addPKGift` may name, 1…1000000000; at most 32 names of 1…64 bytes. Nil for none.
  public var gifts: [String: Int]?
  /// Whether all rooms show the anchors in the order in which the rooms joined; nil means false: each room shows its own anchor
  /// first.
  public var sameOrder: Bool?

  /// Creates rules. The values are not validated; see ``validationError``.
  public init(punishment: Int? = nil, overtime: Int? = nil, rooms: Int? = nil) {
    self.punishment = punishment
    self.overtime = overtime
    self.rooms = rooms
  }

  /// The first validation error, in a sentence that names the field; nil if the rules are valid.
  public var validationError: String? {
    if let punishment, !(0...3600).contains(punishment) { return "punishment: 0 to 3600 seconds" }
    if let overtime, !(1...60).contains(overtime) { return "overtime: 1 to 60 seconds" }
    if let rooms, !(2...9).contains(rooms) { return "rooms: 2 to 9" }
    if let gifts, gifts.count > 32 { return "gifts: at most 32" }
    if let gifts, !gifts.keys.allSatisfy({ (1...64).contains($0.utf8.count) }) { return "gifts: names of 1 to 64 bytes" }
    if let gifts, !gifts.values.allSatisfy(PKGiftParams.pointRange.contains) { return "gifts: 1 to 1000000000 points" }
    return nil
  }
}

/// One room of a PK of several rooms, as seen from the room that receives it.
public struct PKMember: Codable, Sendable, Hashable {
  /// The room's name.
  public var room: RoomName
  /// The room's anchor.
  public var userId: UserID
  /// The number of the team, 0…8; nil if the room plays alone.
  public var team: Int?
  /// The room that invited this one; nil for the room that began the PK.
  public var invitedBy: RoomName?
  /// The room's score.
  public var score: Int
  /// Whether the anchor is connected; false during its grace time.
  public var connected: Bool
  /// Whether the anchor is muted in the receiving room and its broadcast.
  public var muted: Bool
  /// Whether the anchor is muted in all other rooms.
  public var mutedForAll: Bool

  /// Creates the description of a member.
  public init(
    room: RoomName, userId: UserID, team: Int? = nil, invitedBy: RoomName? = nil, score: Int = 0, connected: Bool = true,
    muted: Bool = false, mutedForAll: Bool = false
  ) {
    self.room = room
    self.userId = userId
    self.team = team
    self.invitedBy = invitedBy
    self.score = score
    self.connected = connected
    self.muted = muted
    self.mutedForAll = mutedForAll
  }
}

/// The result of a PK of several rooms, the same in all of them.
public struct PKResult: Codable, Sendable, Hashable {
  /// One room's score at the end.
  public struct Score: Codable, Sendable, Hashable {
    /// The room's name.
    public var room: RoomName
    /// The room's score.
    public var score: Int
    /// The number of the room's team; nil if the room played alone.
    public var team: Int?

    /// Creates a room's score.
    public init(room: RoomName, score: Int, team: Int? = nil) {
      self.room = room
      self.score = score
      self.team = team
    }
  }

  /// The scores, in the order in which the rooms joined.
  public var scores: [Score]
  /// The rooms of the best team, or of all best ones in a tie.
  public var winners: [RoomName]
  /// Whether several teams are the best.
  public var tie: Bool

  /// Decides who wins: the scores of a team add up.
  public init(of scores: [Score]) {
    self.scores = scores
    // A room without a team is a team of its own.
    let teams = Dictionary(grouping: scores.indices) { scores[$0].team ?? -1 - $0 }
    let sums = teams.mapValues { team in team.reduce(0) { $0.addingReportingOverflow(scores[$1].score).partialValue } }
    let best = sums.values.max()
    let winning = sums.filter { $0.value == best }.keys
    tie = winning.count > 1
    winners = scores.indices.filter { winning.contains(scores[$0].team ?? -1 - $0) }.map { scores[$0].room }
  }
}

/// How an invitation leads to a PK of several rooms.
public struct PKTerms: Codable, Sendable, Hashable {
  /// The id of the PK that the invited room joins.
  public var pkId: PKID
  /// The number of the invited room's team, 0…8; nil if the room plays alone.
  public var team: Int?
  /// The rules; nil for a PK without any.
  public var rules: PKRules?
  /// The rooms of the PK so far, if it runs.
  public var rooms: [RoomName]

  /// Creates the terms of an invitation.
  public init(pkId: PKID, team: Int? = nil, rules: PKRules? = nil, rooms: [RoomName] = []) {
    self.pkId = pkId
    self.team = team
    self.rules = rules
    self.rooms = rooms
  }
}
