/// The parameters of a search for an opponent. Two rooms match if they want the same way and duration, share a tag or have
/// none, accept each other's level, and have not met in the last ten minutes.
public struct PKMatchParams: Codable, Sendable, Hashable {
  /// How the anchors are connected; nil means ``PKMode/bridge``.
  public var mode: PKMode?
  /// How long the PK lasts in seconds, 10…86400; nil until somebody ends it.
  public var duration: Int?
  /// At most 8 names of 1…64 bytes; nil for none.
  public var tags: [String]?
  /// The room's own level, 0…1000000; nil for none, which only rooms that accept any level accept.
  public var level: Int?
  /// The lowest and the highest level that the room accepts; nil for any.
  public var levels: [Int]?
  /// How long the room looks for an opponent in seconds, 5…300; nil means 60.
  public var wait: Int?

  private enum CodingKeys: String, CodingKey {
    case duration, tags, level, levels, wait
    case mode = "way"
  }

  /// Creates the parameters. They are not validated; see ``validationError``.
  public init(
    mode: PKMode? = nil, duration: Int? = nil, tags: [String]? = nil, level: Int? = nil, levels: ClosedRange<Int>? = nil,
    wait: Int? = nil
  ) {
    self.mode = mode
    self.duration = duration
    self.tags = tags
    self.level = level
    self.levels = levels.map { [$0.lowerBound, $0.upperBound] }
    self.wait = wait
  }

  /// The levels of rooms.
  public static let levelRange = 0...1_000_000

  /// The first validation error, in a sentence that names the field; nil if the values are valid. The room checks `duration`.
  public var validationError: String? {
    if let tags, tags.count > 8 { return "tags: \(tags.count) names; the maximum is 8" }
    if let tags, !tags.allSatisfy({ (1...64).contains($0.utf8.count) }) { return "tags: each has 1 to 64 bytes" }
    if let level, !Self.levelRange.contains(level) { return "level: 0 to 1000000" }
    if let levels, levels.count != 2 || levels[0] > levels[1] || !levels.allSatisfy(Self.levelRange.contains) {
      return "levels: the lowest and the highest level, each 0 to 1000000"
    }
    if let wait, !(5...300).contains(wait) { return "wait: 5 to 300 seconds" }
    return nil
  }
}

/// A room's place in the queue of those that look for an opponent.
public struct PKTicket: Codable, Sendable, Hashable {
  /// The ticket's id, chosen by the server.
  public var ticket: TicketID
  /// The room's anchor.
  public var userId: UserID
  /// How the anchors are connected.
  public var mode: PKMode
  /// How long the PK is to last in seconds; nil until somebody ends it.
  public var duration: Int?
  /// The tags, of which the opponent shares one; empty for an opponent without tags.
  public var tags: [String]
  /// The room's own level; nil for none.
  public var level: Int?
  /// The lowest and the highest level that the room accepts; nil for any.
  public var levels: [Int]?
  /// The user who began the search; empty for a REST API call.
  public var by: UserID
  /// Milliseconds since 1970. The longest waiting room is matched first.
  public var at: Int64
  /// The time at which the search times out, in milliseconds since 1970.
  public var expiresAt: Int64

  private enum CodingKeys: String, CodingKey {
    case ticket, userId, duration, tags, level, levels, by, at, expiresAt
    case mode = "way"
  }

  /// Creates a ticket.
  /// - Parameters:
  ///   - ticket: the ticket's id.
  ///   - params: valid parameters.
  ///   - host: the room's host.
  ///   - by: the user who searches; empty for a REST API call.
  ///   - at: the current time in milliseconds since 1970.
  public init(_ ticket: TicketID, _ params: PKMatchParams, host: UserID, by: UserID, at: Int64) {
    self.ticket = ticket
    userId = host
    mode = params.mode ?? .bridge
    duration = params.duration
    tags = Set(params.tags ?? []).sorted()
    level = params.level
    levels = params.levels
    self.by = by
    self.at = at
    expiresAt = at + Int64(params.wait ?? 60) * 1000
  }
}

/// The result of the call that begins a search for an opponent.
public struct PKMatchResult: Codable, Sendable, Hashable {
  /// The ticket's id.
  public var ticket: TicketID
  /// The time at which the search times out, in milliseconds since 1970.
  public var expiresAt: Int64

  /// Creates the result.
  public init(ticket: TicketID, expiresAt: Int64) {
    self.ticket = ticket
    self.expiresAt = expiresAt
  }
}

/// The outcome of a search for an opponent.
public enum PKMatchOutcome: String, Codable, Sendable, Hashable, CaseIterable {
  /// An opponent was found, and the PK begins.
  case matched
  /// The search was cancelled, the anchor left, or another PK began.
  case cancelled
  /// No opponent was found in time.
  case timedOut
}

/// The data of a `pkMatchEnded` event.
public struct PKMatchEndedData: Codable, Sendable, Hashable {
  /// The ticket's id.
  public var ticket: TicketID
  /// The outcome.
  public var outcome: PKMatchOutcome
  /// The opponent's room; nil for other outcomes than ``PKMatchOutcome/matched``.
  public var room: RoomName?
  /// The opponent; nil for other outcomes.
  public var userId: UserID?
  /// The id of the PK that begins; nil for other outcomes.
  public var pkId: PKID?
  /// The user who cancelled; empty for a REST API call, and if no user did.
  public var by: UserID

  /// Creates the data of the event.
  /// - Parameters:
  ///   - ticket: the ticket of the search.
  ///   - outcome: how the search ended.
  ///   - pk: the PK that begins; nil for none.
  ///   - by: the user who ended the search; empty for none.
  public init(ticket: TicketID, outcome: PKMatchOutcome, pk: PKInfo? = nil, by: UserID = "") {
    self.ticket = ticket
    self.outcome = outcome
    room = pk?.room
    userId = pk?.userId
    pkId = pk?.pkId
    self.by = by
  }
}
