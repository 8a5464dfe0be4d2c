import Foundation
internal import GRDB
import RoomHTTPServer
import RoomProtocol

/// The newest events of all rooms on disk, numbered per room, and the position of each webhook.
final class EventStore: Sendable {
  /// An event in the store.
  struct Entry: Sendable, Hashable {
    /// Grows by one from event to event, across all rooms.
    var id: Int64
    var room: RoomName
    /// Grows by one from event to event of the room.
    var sequence: Int64
    /// Milliseconds since 1970.
    var time: Int64
  }

  /// The position of a webhook in a room's events.
  struct DeliveryPosition: Sendable, Hashable {
    var url: String
    var room: RoomName
  }

  private let database: any DatabaseWriter
  /// The prefix of the public event ids, so that those of two stores differ.
  private let label: String
  /// The maximum number of rooms whose last number is stored; the ones that have been inactive longest are removed first.
  private static let rooms = 100_000

  /// - Parameter path: the path of the file, which is created if missing; nil keeps everything in memory.
  init(path: String?) throws {
    database = try LogDatabase.open(path: path)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      try database.execute(
        sql: """
          CREATE TABLE event (
            id INTEGER PRIMARY KEY AUTOINCREMENT, room TEXT NOT NULL, sequence INTEGER NOT NULL, time INTEGER NOT NULL,
            body BLOB NOT NULL);
          CREATE UNIQUE INDEX event_room ON event (room, sequence);
          CREATE TABLE room (name TEXT PRIMARY KEY, sequence INTEGER NOT NULL, seen INTEGER NOT NULL) WITHOUT ROWID;
          CREATE TABLE webhook (url TEXT PRIMARY KEY, since INTEGER NOT NULL) WITHOUT ROWID;
          CREATE TABLE place (url TEXT, room TEXT, delivered INTEGER NOT NULL, PRIMARY KEY (url, room)) WITHOUT ROWID;
          CREATE TABLE store (label TEXT NOT NULL);
          INSERT INTO store VALUES (lower(hex(randomblob(4))));
          """)
    }
    try migrator.migrate(database)
    label = try database.read { try String.fetchOne($0, sql: "SELECT label FROM store") } ?? "0"
  }

  func close() { try? database.close() }

  /// Replaces the set of webhooks. A new one starts with the next event.
  func setWebhooks(_ urls: [String]) throws {
    try database.write { database in
      let last = try Self.lastID(database)
      for url in try String.fetchAll(database, sql: "SELECT url FROM webhook") where !urls.contains(url) {
        try database.execute(sql: "DELETE FROM webhook WHERE url = ?", arguments: [url])
        try database.execute(sql: "DELETE FROM place WHERE url = ?", arguments: [url])
      }
      for url in urls {
        try database.execute(sql: "INSERT OR IGNORE INTO webhook VALUES (?, ?)", arguments: [url, last])
      }
    }
  }

  private static func lastID(_ database: Database) throws -> Int64 {
    try Int64.fetchOne(database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'event'") ?? 0
  }

  /// Numbers and stores events, and stores the positions of webhooks.
  func append(_ events: [WebhookEvent], delivered: [DeliveryPosition: Int64] = [:]) async throws -> [Entry] {
    try await database.write { [label] database in
      let number = try database.cachedStatement(
        sql: """
          INSERT INTO room VALUES (?, 1, ?)
          ON CONFLICT (name) DO UPDATE SET sequence = sequence + 1, seen = excluded.seen RETURNING sequence
          """)
      let insert = try database.cachedStatement(sql: "INSERT INTO event VALUES (?, ?, ?, ?, ?)")
      let encoder = JSON.encoder()
      var id = events.isEmpty ? 0 : try Self.lastID(database)
      var entries: [Entry] = []
      for event in events {
        id += 1
        let sequence = try Int64.fetchOne(number, arguments: [event.room.rawValue, event.time]) ?? 1
        let body = try encoder.encode(Body(event, id: "ev_\(label)_\(id)", sequence: sequence))
        try insert.execute(arguments: [id, event.room.rawValue, sequence, event.time, body])
        entries.append(Entry(id: id, room: event.room, sequence: sequence, time: event.time))
      }
      for (position, id) in delivered {
        try database.execute(
          sql: "INSERT OR REPLACE INTO place VALUES (?, ?, ?)", arguments: [position.url, position.room.rawValue, id])
      }
      return entries
    }
  }

  /// Returns the events that a webhook has not received yet, oldest first.
  func pending(for url: String) async throws -> [Entry] {
    try await database.read { database in
      try Self.entries(
        database,
        sql: """
          SELECT event.id, event.room, event.sequence, event.time FROM event
          JOIN webhook ON webhook.url = ? LEFT JOIN place ON place.url = webhook.url AND place.room = event.room
          WHERE event.id > coalesce(place.delivered, webhook.since) ORDER BY event.id
          """, [url])
    }
  }

  private static func entries(_ database: Database, sql: String, _ arguments: StatementArguments) throws -> [Entry] {
    try Row.fetchAll(database, sql: sql, arguments: arguments).map {
      Entry(id: $0["id"], room: RoomName($0["room"] as String), sequence: $0["sequence"], time: $0["time"])
    }
  }

  /// Returns the JSON of an event; nil if it is no longer stored.
  func body(of id: Int64) async throws -> Data? {
    try await database.read { try Data.fetchOne($0, sql: "SELECT body FROM event WHERE id = ?", arguments: [id]) }
  }

  /// Returns the events of a room after a number, oldest first, and the room's last number; nil if no event of the room is
  /// stored.
  func events(of room: RoomName, after sequence: Int64, limit: Int) async throws -> (bodies: [Data], last: Int64)? {
    try await database.read { database in
      guard let last = try Int64.fetchOne(database, sql: "SELECT sequence FROM room WHERE name = ?", arguments: [room.rawValue])
      else {
        return nil
      }
      let bodies = try Data.fetchAll(
        database, sql: "SELECT body FROM event WHERE room = ? AND sequence > ? ORDER BY sequence LIMIT ?",
        arguments: [room.rawValue, sequence, limit])
      return (bodies, last)
    }
  }

  /// Returns the newest events of all rooms, oldest first.
  func newest(_ limit: Int) async throws -> [Data] {
    try await database.read { database in
      try Data.fetchAll(database, sql: "SELECT body FROM event ORDER BY id DESC LIMIT ?", arguments: [limit]).reversed()
    }
  }

  /// Returns the events of a room starting at a number, which every webhook receives again; nil if no event of the room is
  /// stored.
  func replay(_ room: RoomName, from sequence: Int64) async throws -> [Entry]? {
    try await database.write { database in
      guard try Int64.fetchOne(database, sql: "SELECT 1 FROM room WHERE name = ?", arguments: [room.rawValue]) != nil else {
        return nil
      }
      let entries = try Self.entries(
        database, sql: "SELECT id, room, sequence, time FROM event WHERE room = ? AND sequence >= ? ORDER BY id",
        [room.rawValue, sequence])
      if let first = entries.first {
        try database.execute(
          sql: "INSERT OR REPLACE INTO place SELECT url, ?, ? FROM webhook", arguments: [room.rawValue, first.id - 1])
      }
      return entries
    }
  }

  /// Deletes all but the newest `count` events, and those before `time`. Returns the id of the first remaining one.
  func prune(keeping count: Int, since time: Int64) async throws -> Int64 {
    try await database.write { database in
      let last = try Self.lastID(database)
      let young = try Int64.fetchOne(database, sql: "SELECT id FROM event WHERE time >= ? ORDER BY id", arguments: [time])
      let first = max(last - Int64(count) + 1, young ?? last + 1)
      try database.execute(sql: "DELETE FROM event WHERE id < ?", arguments: [first])
      // A position before all stored events has no information.
      try database.execute(sql: "UPDATE webhook SET since = max(since, ?)", arguments: [first - 1])
      try database.execute(sql: "DELETE FROM place WHERE delivered < ?", arguments: [first])
      let rooms = try Int.fetchOne(database, sql: "SELECT count(*) FROM room") ?? 0
      if rooms > Self.rooms {
        try database.execute(
          sql: "DELETE FROM room WHERE name IN (SELECT name FROM room ORDER BY seen LIMIT ?)", arguments: [rooms - Self.rooms])
      }
      return first
    }
  }

  /// The body of a delivery.
  private struct Body: Encodable {
    enum Keys: String, CodingKey { case id, sequence, room, roomSession, event, time, data }

    let event: WebhookEvent
    let id: String
    let sequence: Int64

    init(_ event: WebhookEvent, id: String, sequence: Int64) {
      self.event = event
      self.id = id
      self.sequence = sequence
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(id, forKey: .id)
      try container.encode(sequence, forKey: .sequence)
      try container.encode(event.room, forKey: .room)
      try container.encode(event.session, forKey: .roomSession)
      try container.encode(event.name.rawValue, forKey: .event)
      try container.encode(event.time, forKey: .time)
      try container.encode(event.data, forKey: .data)
    }
  }
}
