import RoomProtocol

/// A room that looks for an opponent.
public struct MatchTicket: Sendable, Hashable {
  public var room: RoomName
  public var ticket: PKTicket

  public init(room: RoomName, ticket: PKTicket) {
    self.room = room
    self.ticket = ticket
  }
}

/// The match of a room.
public struct Match: Sendable, Hashable {
  /// The id of the PK that both rooms begin.
  public var pkId: PKID
  /// The opponent's room.
  public var room: RoomName

  public init(pkId: PKID, room: RoomName) {
    self.pkId = pkId
    self.room = room
  }
}

/// The place of a ticket.
public enum MatchPlace: Sendable, Hashable {
  case waiting
  case matched(Match)
  /// The queue is full; the room may try again.
  case full
}

/// The queue of the rooms that look for an opponent.
public protocol Matchmaking: Sendable {
  /// Enters a ticket, or confirms its place.
  /// - Parameters:
  ///   - failed: the PK of its last match, which did not begin: the ticket waits on at its old place.
  ///   - pkId: the id of the PK if there is a match now; unique over all rooms.
  ///   - now: milliseconds since 1970.
  /// - Returns: the place; nil if the queue can't be reached.
  func enter(_ ticket: MatchTicket, after failed: PKID?, pkId: PKID, now: Int64) async -> MatchPlace?

  /// Removes a ticket.
  func leave(_ ticket: TicketID) async
}

/// The limits of a queue. Times are in milliseconds.
public struct MatchRules: Sendable, Hashable {
  /// How long two rooms that met do not meet again.
  public var meetingTime: Int64 = 600_000
  /// Maximum number of tickets.
  public var tickets = 100_000
  /// Maximum number of waiting rooms below and above a ticket's own level that one search reads for each tag. Rooms of nearer levels
  /// come first.
  public var searched = 500
  /// Maximum number of pairs of rooms that do not meet again, of a queue in memory. The oldest pair is forgotten first.
  public var meetings = 200_000

  public init() {}
}

/// The queue of a server without a cluster.
public actor LocalMatchmaking: Matchmaking {
  private var queue: MatchQueue

  public init(_ rules: MatchRules = MatchRules()) { queue = MatchQueue(rules) }

  public func enter(_ ticket: MatchTicket, after failed: PKID?, pkId: PKID, now: Int64) -> MatchPlace? {
    queue.enter(ticket, after: failed, pkId: pkId, now: now)
  }

  public func leave(_ ticket: TicketID) { queue.leave(ticket) }
}
