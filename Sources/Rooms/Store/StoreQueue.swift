import RoomProtocol

/// A place in the order of changes.
package struct StoreTicket: Hashable, Comparable, Sendable {
  var number: UInt64 = 0

  package static func < (one: StoreTicket, other: StoreTicket) -> Bool { one.number < other.number }
}

/// Changes that wait to be written, in order, and of each thing only the newest.
///
/// The order matters where a room ends: what was its own goes with it, and a room that has its name afterwards inherits nothing.
/// `Source` is what a room's state is read from when it is written.
struct StoreQueue<Source: Sendable>: Sendable {
  enum Change: Sendable {
    case room(name: RoomName, Source)
    case other(StoreChange)
  }

  /// What is written in one transaction.
  struct Batch: Sendable {
    /// In order.
    let changes: [Change]
    /// Everything up to this ticket is written once the batch is.
    let through: StoreTicket
    fileprivate let entries: [Entry]
  }

  fileprivate struct Entry: Sendable {
    var order: UInt64
    var change: Change
  }

  /// What a change is a change of.
  private enum Key: Hashable {
    case room(RoomName)
    case gone(RoomName)
    case image(room: RoomName, name: String)
    case kick(room: RoomName, user: UserID, token: String)
    case broadcast(String)

    /// Whether it ends with the room.
    func belongs(to room: RoomName) -> Bool {
      switch self {
      case .room(let name): name == room
      case .image(let owner, _): owner == room
      case .gone, .kick, .broadcast: false
      }
    }

    var isRoom: Bool { if case .room = self { true } else { false } }
  }

  /// Changes beside those of rooms that are kept while nothing can be written.
  let limit: Int
  /// The newest change.
  private(set) var last = StoreTicket()
  /// Every change up to this one is written.
  private(set) var written = StoreTicket()
  /// Changes that were dropped because more than `limit` waited.
  private(set) var lost: UInt64 = 0
  private var entries: [Key: Entry] = [:]
  /// How many of the entries are not a room's state, of which there are as many as rooms.
  private var others = 0

  init(limit: Int) { self.limit = limit }

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }

  /// Adds a change behind all others.
  @discardableResult mutating func add(_ change: Change) -> StoreTicket {
    last.number &+= 1
    insert(Entry(order: last.number, change: change))
    return last
  }

  /// Takes everything that waits; nil if nothing does.
  mutating func take() -> Batch? {
    guard !entries.isEmpty else { return nil }
    let sorted = takeEntries()
    return Batch(changes: sorted.map(\.change), through: last, entries: sorted)
  }

  /// The batch is written.
  mutating func finish(_ batch: Batch) { written = max(written, batch.through) }

  /// The batch could not be written: it waits again, in front of what came meanwhile.
  mutating func putBack(_ batch: Batch) {
    for entry in batch.entries + takeEntries() { insert(entry) }
  }

  private mutating func takeEntries() -> [Entry] {
    defer { (entries, others) = ([:], 0) }
    return entries.values.sorted { $0.order < $1.order }
  }

  private mutating func insert(_ entry: Entry) {
    let key = Self.key(entry.change)
    if case .gone(let room) = key {
      for own in entries.keys where own.belongs(to: room) { remove(own) }
    }
    if entries.updateValue(entry, forKey: key) == nil, !key.isRoom { others += 1 }
    if others > limit { dropOldest() }
  }

  private mutating func remove(_ key: Key) {
    if entries.removeValue(forKey: key) != nil, !key.isRoom { others -= 1 }
  }

  /// Drops an eighth at once, so that a change costs no search on average.
  private mutating func dropOldest() {
    let oldest = entries.filter { !$0.key.isRoom }.sorted { $0.value.order < $1.value.order }
    let surplus = others - limit + limit / 8
    for (key, _) in oldest.prefix(surplus) {
      remove(key)
      lost &+= 1
    }
  }

  private static func key(_ change: Change) -> Key {
    switch change {
    case .room(let name, _), .other(.room(let name, _)): .room(name)
    case .other(.roomGone(let name)): .gone(name)
    case .other(.image(let room, let name, _)): .image(room: room, name: name)
    case .other(.kicked(let kick)): .kick(room: kick.room, user: kick.user, token: kick.token)
    case .other(.broadcast(let name, _)): .broadcast(name)
    }
  }
}
