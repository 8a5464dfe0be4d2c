import Foundation
internal import GRDB
import RoomHTTPServer
import RoomProtocol

/// The events of one server, on disk or in memory.
final class SQLiteEventStore: EventStore {
  let isShared = false

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

  func endAttempts() {}

  func close() { try? database.close() }

  func setWebhooks(_ urls: [String]) async throws {
    try await database.write { database in
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

  func append(
    _ events: [ReportedEvent], delivered: [DeliveryPosition: Int64] = [:]
  ) async throws -> (order: DeliveryOrder, refused: Int) {
    let entries = try await database.write { [label] database in
      let number = try database.cachedStatement(
        sql: """
          INSERT INTO room VALUES (?, 1, ?)
          ON CONFLICT (name) DO UPDATE SET sequence = sequence + 1, seen = excluded.seen RETURNING sequence
          """)
      let insert = try database.cachedStatement(sql: "INSERT INTO event VALUES (?, ?, ?, ?, ?)")
      let encoder = JSON.encoder()
      var id = events.isEmpty ? 0 : try Self.lastID(database)
      var entries: [StoredEvent] = []
      for event in events.map(\.event) {
        id += 1
        let sequence = try Int64.fetchOne(number, arguments: [event.room.rawValue, event.time]) ?? 1
        let body = try encoder.encode(EventMessage(event: event, id: "ev_\(label)_\(id)", sequence: sequence))
        try insert.execute(arguments: [id, event.room.rawValue, sequence, event.time, body])
        entries.append(StoredEvent(id: id, room: event.room, sequence: sequence, time: event.time))
      }
      for (position, id) in delivered {
        try database.execute(
          sql: "INSERT OR REPLACE INTO place VALUES (?, ?, ?)", arguments: [position.url, position.room.rawValue, id])
      }
      return entries
    }
    return (DeliveryOrder(added: entries), 0)
  }

  func takeOver() async throws -> DeliveryOrder { DeliveryOrder() }

  func pending(for url: String) async throws -> [StoredEvent] {
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

  private static func entries(_ database: Database, sql: String, _ arguments: StatementArguments) throws -> [StoredEvent] {
    try Row.fetchAll(database, sql: sql, arguments: arguments).map {
      StoredEvent(id: $0["id"], room: RoomName($0["room"] as String), sequence: $0["sequence"], time: $0["time"])
    }
  }

  func body(of id: Int64, in room: RoomName) async throws -> EventBody {
    let body = try await database.read { try Data.fetchOne($0, sql: "SELECT body FROM event WHERE id = ?", arguments: [id]) }
    return body.map { .json($0) } ?? .gone
  }

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

  func newest(_ limit: Int) async throws -> [Data] {
    try await database.read { database in
      try Data.fetchAll(database, sql: "SELECT body FROM event ORDER BY id DESC LIMIT ?", arguments: [limit]).reversed()
    }
  }

  func replay(_ room: RoomName, from sequence: Int64) async throws -> [StoredEvent]? {
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

  func prune(keeping count: Int, since time: Int64) async throws -> Int64? {
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
}
