import RoomProtocol

/// A position in the order of changes.
package struct StoreTicket: Hashable, Comparable, Sendable {
  var number: UInt64 = 0

  package static func < (one: StoreTicket, other: StoreTicket) -> Bool { one.number < other.number }
}

/// Pending changes in order, with only the latest change of each item.
///
/// The order matters when a room closes: everything that belongs to it is removed with it, and a later room of its name
/// inherits nothing. `Source` provides a room's state when it is written.
struct StoreQueue<Source: Sendable>: Sendable {
  enum Change: Sendable {
    case room(name: RoomName, Source)
    case other(StoreChange)
  }

  /// The changes written in one transaction.
  struct Batch: Sendable {
    /// The changes in order.
    let changes: [Change]
    /// All changes up to this ticket are written once the batch is.
    let through: StoreTicket
    fileprivate let entries: [Entry]
  }

  fileprivate struct Entry: Sendable {
    var order: UInt64
    var change: Change
  }

  /// The item that a change affects.
  private enum Key: Hashable {
    case room(RoomName)
    case gone(RoomName)
    case image(room: RoomName, name: String)
    case kick(room: RoomName, user: UserID, token: String)
    case broadcast(String)

    /// Returns whether it is removed with the room.
    func belongs(to room: RoomName) -> Bool {
      switch self {
      case .room(let name): name == room
      case .image(let owner, _): owner == room
      case .gone, .kick, .broadcast: false
      }
    }

    var isRoom: Bool { if case .room = self { true } else { false } }
  }

  /// Maximum number of pending changes other than room states, while nothing can be written.
  let limit: Int
  /// The ticket of the latest change.
  private(set) var last = StoreTicket()
  /// Every change up to this ticket is written.
  private(set) var written = StoreTicket()
  /// Number of changes that were dropped because more than `limit` were pending.
  private(set) var lost: UInt64 = 0
  private var entries: [Key: Entry] = [:]
  /// Number of entries other than room states; there is at most one state per room.
  private var others = 0

  init(limit: Int) { self.limit = limit }

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }

  /// Appends a change.
  @discardableResult mutating func add(_ change: Change) -> StoreTicket {
    last.number &+= 1
    insert(Entry(order: last.number, change: change))
    return last
  }

  /// Takes all pending changes; nil if there are none.
  mutating func take() -> Batch? {
    guard !entries.isEmpty else { return nil }
    let sorted = takeEntries()
    return Batch(changes: sorted.map(\.change), through: last, entries: sorted)
  }

  /// Records that the batch is written.
  mutating func finish(_ batch: Batch) { written = max(written, batch.through) }

  /// Requeues a batch that could not be written, before the changes that arrived meanwhile.
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

  /// Drops an eighth at once, so that the average change needs no search.
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
