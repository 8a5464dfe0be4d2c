import NIOCore
import RoomProtocol

/// The queue of the rooms that look for an opponent, as a value without I/O.
///
/// A ticket is matched with the longest waiting one that it accepts and that accepts it. Waiting tickets are sorted by level under
/// each of their tags, so that a search reads only tickets with a shared tag and an accepted level. A matched ticket stays until its
/// room leaves, so that a room that did not receive its match asks for it again.
public struct MatchQueue: Sendable {
  private struct Held: Sendable {
    var entry: Entry
    var keys: [Key]
    var match: Match?
  }

  public let rules: MatchRules
  private var held: [TicketID: Held] = [:]
  private var waiting: [Key: WaitingTickets] = [:]
  private var expiries = ExpiringTickets()
  private var meetings: Set<Pair> = []
  /// The pairs of `meetings` with the time at which they may meet again, the oldest first.
  private var meetingEnds = CircularBuffer<(pair: Pair, at: Int64)>()

  public init(_ rules: MatchRules = MatchRules()) { self.rules = rules }

  /// The number of tickets, matched ones included.
  public var count: Int { held.count }
  /// The number of pairs that do not meet again yet.
  public var meetingCount: Int { meetings.count }

  /// Enters a ticket, or confirms its place; see ``Matchmaking/enter(_:after:pkId:now:)``.
  public mutating func enter(_ new: MatchTicket, after failed: PKID? = nil, pkId: PKID, now: Int64) -> MatchPlace {
    expire(now)
    let id = new.ticket.ticket
    if let match = held[id]?.match {
      guard match.pkId == failed else { return .matched(match) }
      held[id]?.match = nil
    }
    guard new.ticket.expiresAt > now else {
      leave(id)
      return .waiting
    }
    if held[id] == nil {
      guard held.count < rules.tickets else { return .full }
      held[id] = Held(entry: Entry(new), keys: Key.all(of: new.ticket))
      expiries.insert(id, at: new.ticket.expiresAt)
    }
    guard let own = held[id] else { return .full }
    guard let partner = opponent(of: own.entry, own.keys, now) else {
      for key in own.keys { waiting[key, default: WaitingTickets()].insert(own.entry) }
      return .waiting
    }
    let match = Match(pkId: pkId, room: partner.room)
    hold(id, match)
    hold(partner.id, Match(pkId: pkId, room: own.entry.room))
    met(Pair(own.entry.room, partner.room), until: now + rules.meetingTime)
    return .matched(match)
  }

  /// Removes a ticket.
  public mutating func leave(_ id: TicketID) {
    guard let gone = held.removeValue(forKey: id) else { return }
    expiries.remove(id, at: gone.entry.expiresAt)
    for key in gone.keys { remove(gone.entry, from: key) }
  }

  /// Removes the tickets and the meetings that have expired.
  public mutating func expire(_ now: Int64) {
    for id in expiries.takeExpired(now) { leave(id) }
    while let oldest = meetingEnds.first, oldest.at <= now || meetings.count > rules.meetings {
      meetings.remove(meetingEnds.removeFirst().pair)
    }
  }

  private func opponent(of entry: Entry, _ keys: [Key], _ now: Int64) -> Entry? {
    var best: Entry?
    for key in keys {
      waiting[key]?.forEach(near: entry, limit: rules.searched) { other in
        guard other.accepts(entry), other.room != entry.room, other.expiresAt > now, best.map({ other.isBefore($0) }) ?? true,
          !meetings.contains(Pair(entry.room, other.room))
        else { return }
        best = other
      }
    }
    return best
  }

  private mutating func remove(_ entry: Entry, from key: Key) {
    waiting[key]?.remove(entry)
    if waiting[key]?.isEmpty == true { waiting[key] = nil }
  }

  /// Keeps a matched ticket until its room has received the match.
  private mutating func hold(_ id: TicketID, _ match: Match) {
    guard let own = held[id] else { return }
    for key in own.keys { remove(own.entry, from: key) }
    held[id]?.match = match
  }

  private mutating func met(_ pair: Pair, until: Int64) {
    meetings.insert(pair)
    meetingEnds.append((pair, until))
  }
}

/// What two tickets have in common if their rooms can meet.
private struct Key: Hashable, Sendable {
  var mode: PKMode
  var duration: Int?
  /// Nil for a ticket without tags.
  var tag: String?

  static func all(of ticket: PKTicket) -> [Key] {
    let tags: [String?] = ticket.tags.isEmpty ? [nil] : ticket.tags
    return tags.map { Key(mode: ticket.mode, duration: ticket.duration, tag: $0) }
  }
}

/// What a search reads of a ticket.
private struct Entry: Hashable, Sendable {
  let id: TicketID
  let room: RoomName
  let at: Int64
  let expiresAt: Int64
  /// −1 for none.
  let level: Int
  let accepted: ClosedRange<Int>

  init(_ ticket: MatchTicket) {
    (id, room, at) = (ticket.ticket.ticket, ticket.room, ticket.ticket.at)
    expiresAt = ticket.ticket.expiresAt
    level = ticket.ticket.level ?? -1
    accepted = ticket.ticket.accepted
  }

  func accepts(_ other: Entry) -> Bool { accepted.contains(other.level) }
  func isBefore(_ other: Entry) -> Bool { (at, id) < (other.at, other.id) }
}

extension PKTicket {
  /// The accepted levels; −1 is a room without a level.
  var accepted: ClosedRange<Int> {
    guard let levels, levels.count == 2, levels[0] <= levels[1] else { return -1...PKMatchParams.levelRange.upperBound }
    return levels[0]...levels[1]
  }
}

/// Two rooms, in any order.
private struct Pair: Hashable, Sendable {
  let first: RoomName
  let second: RoomName

  init(_ one: RoomName, _ other: RoomName) { (first, second) = one < other ? (one, other) : (other, one) }
}

/// The waiting tickets of a key, sorted by level, then id.
private struct WaitingTickets: Sendable {
  private var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  /// Returns the first index that is not before a place.
  private func index(level: Int, id: TicketID = "") -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if (entries[middle].level, entries[middle].id) < (level, id) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  mutating func insert(_ entry: Entry) {
    let index = index(level: entry.level, id: entry.id)
    if index == entries.count || entries[index].id != entry.id { entries.insert(entry, at: index) }
  }

  mutating func remove(_ entry: Entry) {
    let index = index(level: entry.level, id: entry.id)
    if index < entries.count, entries[index].id == entry.id { entries.remove(at: index) }
  }

  /// Calls a body with the tickets of the levels that a ticket accepts, at most `limit` from its own level upwards, and below.
  func forEach(near own: Entry, limit: Int, _ body: (Entry) -> Void) {
    let (low, high) = (index(level: own.accepted.lowerBound), index(level: own.accepted.upperBound + 1))
    let middle = min(max(index(level: own.level), low), high)
    for index in middle..<min(high, middle + limit) { body(entries[index]) }
    for index in max(low, middle - limit)..<middle { body(entries[index]) }
  }
}

/// Tickets by the second in which they expire.
private struct ExpiringTickets: Sendable {
  private var bySecond: [Int64: Set<TicketID>] = [:]
  /// All earlier seconds are over.
  private var first: Int64 = 0

  mutating func insert(_ id: TicketID, at time: Int64) { bySecond[time / 1000, default: []].insert(id) }

  mutating func remove(_ id: TicketID, at time: Int64) {
    bySecond[time / 1000]?.remove(id)
    if bySecond[time / 1000]?.isEmpty == true { bySecond[time / 1000] = nil }
  }

  /// Removes and returns the tickets of the seconds that are over.
  mutating func takeExpired(_ now: Int64) -> [TicketID] {
    let end = now / 1000
    guard end > first else { return [] }
    defer { first = end }
    // After a pause, or for the first time, there are more seconds than tickets.
    let over = end - first <= 2 ? Array(first..<end) : bySecond.keys.filter { $0 < end }
    return over.flatMap { bySecond.removeValue(forKey: $0) ?? [] }
  }
}
