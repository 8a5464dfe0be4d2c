import RoomEngine
import RoomProtocol

/// A page of the list of rooms: which rooms match a query, in its order. A pure function of what the rooms have published.
package struct RoomPage: Sendable {
  /// A room in the list.
  package struct Entry: Sendable {
    package var room: RoomSummary
    /// The number of viewers of its stream at this server's origin; nil if it has none.
    package var streamViewers: Int?
    /// The people who watch the room, each once.
    package var viewers: Int { room.viewers + (streamViewers ?? 0) }
  }

  /// Which rooms a list contains.
  package enum Filter: String, Sendable, CaseIterable {
    /// With a live: one that starts, is on air or fails.
    case live
    /// With a live that does not go out.
    case failing
    case pk, voice, video
    /// Without participants.
    case empty
  }

  package enum Order: String, Sendable, CaseIterable {
    case name
    /// The most active rooms first.
    case live
    /// The newest rooms first.
    case created
    /// The rooms with the most participants first.
    case participants
  }

  /// The position of a room in an order. It stays valid when the room closes or moves.
  package struct Cursor: Sendable, Hashable, Comparable {
    /// Sorts before the name, ascending.
    package var key: Int64
    package var name: RoomName

    package static func < (left: Self, right: Self) -> Bool { (left.key, left.name) < (right.key, right.name) }
  }

  package struct Query: Sendable {
    /// A part of a room's name or of a participant's, in any case; empty for all rooms.
    package var text = ""
    package var filter: Filter?
    package var order = Order.name
    /// The last room of the previous page; nil for the first page.
    package var after: Cursor?
    package var limit = 1000
  }

  /// Sums of all rooms that match, on any page.
  package struct Totals: Sendable, Hashable, Encodable {
    package var rooms = 0
    package var participants = 0
    package var tracks = 0
    package var viewers = 0
    /// Rooms whose live is on air.
    package var live = 0
    package var jobs = 0
  }

  package private(set) var entries: [Entry] = []
  package private(set) var totals = Totals()
  /// The cursor of the next page; nil on the last page.
  package private(set) var next: Cursor?

  /// Lists the rooms that match a query.
  package init(of rooms: some Sequence<Entry>, _ query: Query) {
    let text = Array(query.text.utf8.map(Self.lowercased))
    var rest: [(cursor: Cursor, entry: Entry)] = []
    for entry in rooms where query.filter?.contains(entry.room) ?? true && Self.matches(entry.room, text) {
      totals.add(entry)
      let cursor = query.order.cursor(of: entry)
      if query.after.map({ $0 < cursor }) ?? true { rest.append((cursor, entry)) }
    }
    rest.sort { $0.cursor < $1.cursor }
    entries = rest.prefix(query.limit).map(\.entry)
    if rest.count > query.limit { next = rest[query.limit - 1].cursor }
  }

  /// - Parameter text: lower case, UTF-8.
  private static func matches(_ room: RoomSummary, _ text: [UInt8]) -> Bool {
    if text.isEmpty || contains(room.name.rawValue, text) { return true }
    return room.users.contains { contains($0.rawValue, text) }
  }

  /// Names are ASCII (``NameRule``), so that bytes can be compared.
  private static func contains(_ name: String, _ text: [UInt8]) -> Bool {
    var name = name
    return name.withUTF8 { bytes in
      guard bytes.count >= text.count else { return false }
      return (0...bytes.count - text.count).contains { start in
        text.indices.allSatisfy { lowercased(bytes[start + $0]) == text[$0] }
      }
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte + 0x20 : byte }
}

extension RoomPage.Totals {
  fileprivate mutating func add(_ entry: RoomPage.Entry) {
    rooms += 1
    participants += entry.room.users.count
    tracks += entry.room.tracks
    viewers += entry.viewers
    if entry.room.live?.state == .live { live += 1 }
    jobs += entry.room.jobs.count
  }
}

extension RoomPage.Filter {
  fileprivate func contains(_ room: RoomSummary) -> Bool {
    switch self {
    case .live: room.live != nil
    case .failing: room.live?.state == .failing
    case .pk: room.pk != nil
    case .voice: room.kind == .voice
    case .video: room.kind == .video
    case .empty: room.users.isEmpty
    }
  }
}

extension RoomPage.Order {
  package func cursor(of entry: RoomPage.Entry) -> RoomPage.Cursor {
    let room = entry.room
    let key: Int64 =
      switch self {
      case .name: 0
      case .live: Self.idleness(of: entry)
      case .created: -room.createdAt
      case .participants: -Int64(room.users.count)
      }
    return RoomPage.Cursor(key: key, name: room.name)
  }

  /// Rooms on air come first, then those that try, publish, or have participants. Among equals, those with more people come
  /// first, by powers of two, so that a room does not move with each viewer.
  private static func idleness(of entry: RoomPage.Entry) -> Int64 {
    let room = entry.room
    let rank: Int64 =
      switch room.live?.state {
      case .live: 0
      case .failing: 1
      case .starting: 2
      case nil: room.publishers > 0 ? 3 : room.users.isEmpty ? 5 : 4
      }
    let people = room.users.count + entry.viewers
    return rank * 64 + Int64(people.leadingZeroBitCount)
  }

  // MARK: The text of a cursor

  /// Returns the cursor as clients get it: a name, after the number that sorts before it.
  package func text(of cursor: RoomPage.Cursor) -> String {
    self == .name ? cursor.name.rawValue : "\(cursor.key):\(cursor.name)"
  }

  /// Returns nil for a text that is no cursor of this order.
  package func cursor(_ text: String) -> RoomPage.Cursor? {
    if self == .name { return NameRule.allows(text) ? RoomPage.Cursor(key: 0, name: RoomName(text)) : nil }
    guard let colon = text.firstIndex(of: ":"), let key = Int64(text[..<colon]) else { return nil }
    let name = String(text[text.index(after: colon)...])
    return NameRule.allows(name) ? RoomPage.Cursor(key: key, name: RoomName(name)) : nil
  }
}
