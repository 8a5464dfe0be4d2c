import RoomProtocol
import Foundation
import GRDB
import RoomState

/// Stores rooms in one SQLite file with a write-ahead log (WAL). Each transaction is flushed to disk (`synchronous = FULL`):
/// answers confirm its content, so it must survive a power failure as well as the end of the process.
package struct SQLiteStore: RoomStore {
  /// The name of the file in the data directory.
  package static let fileName = "rooms.sqlite"

  private let database: DatabaseQueue

  /// Opens a file, and creates missing tables.
  /// - Parameter path: a file that other users can't read: publish URLs contain keys.
  package init(path: String) throws {
    var configuration = Configuration()
    configuration.label = "rooms"
    // Waits for another process that locks the file, such as a backup.
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    }
    database = try DatabaseQueue(path: path, configuration: configuration)
    try Self.tables.migrate(database)
  }

  private static var tables: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      try database.execute(
        sql: """
          CREATE TABLE room (name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL);
          CREATE TABLE image (room TEXT NOT NULL, name TEXT NOT NULL, file BLOB NOT NULL, PRIMARY KEY (room, name));
          CREATE TABLE kicked (
            room TEXT NOT NULL, user TEXT NOT NULL, token TEXT NOT NULL, expires REAL NOT NULL,
            PRIMARY KEY (room, user, token));
          CREATE TABLE broadcast (name TEXT PRIMARY KEY NOT NULL, begun INTEGER NOT NULL);
          """)
    }
    migrator.registerMigration("2") { database in
      try database.execute(
        sql: """
          CREATE TABLE member (
            room TEXT NOT NULL, user TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (room, user)) WITHOUT ROWID;
          """)
    }
    migrator.registerMigration("3") { database in
      try database.execute(
        sql: """
          CREATE TABLE document (
            kind TEXT NOT NULL, id TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
          """)
    }
    return migrator
  }

  package func load() async throws -> StoredServer {
    try await database.write { database in
      try database.execute(
        sql: "DELETE FROM kicked WHERE expires <= ?", arguments: [Date().timeIntervalSince1970])
      var stored = StoredServer()
      let decoder = JSONDecoder()
      for row in try Row.fetchAll(database, sql: "SELECT name, value FROM room") {
        let (name, value): (RoomName, Data) = (row[0], row[1])
        guard !name.rawValue.hasPrefix(Self.asidePrefix) else {
          stored.setAside.append(RoomName(String(name.rawValue.dropFirst())))
          continue
        }
        do { stored.rooms[name] = try Self.room(name, value, decoder, in: database) } catch {
          stored.unreadable[name] = String(describing: error)
          try Self.setAside(name, in: database)
        }
      }
      for row in try Row.fetchAll(database, sql: "SELECT room, name, file FROM image WHERE room NOT LIKE '!%'") {
        let file: Data = row[2]
        stored.images[row[0], default: [:]][row[1]] = [UInt8](file)
      }
      for row in try Row.fetchAll(database, sql: "SELECT room, user, token, expires FROM kicked") {
        stored.kicked.append(
          StoredKick(room: row[0], user: row[1], token: row[2], expires: Date(timeIntervalSince1970: row[3])))
      }
      for row in try Row.fetchAll(database, sql: "SELECT name, begun FROM broadcast") { stored.broadcasts[row[0]] = row[1] }
      return stored
    }
  }

  /// Returns a room with its members. Rooms written by earlier versions contain their members.
  private static func room(
    _ name: RoomName, _ value: Data, _ decoder: JSONDecoder, in database: Database
  ) throws -> StoredRoom {
    var room = try decoder.decode(StoredRoom.self, from: value)
    guard room.state.users.isEmpty else { return room }
    var members: [UserID: Member] = [:]
    for row in try Row.fetchAll(database, sql: "SELECT user, value FROM member WHERE room = ?", arguments: [name]) {
      members[row[0]] = try decoder.decode(Member.self, from: row[1])
    }
    room.state.addStored(members)
    return room
  }

  /// The prefix of the name of a room that is set aside; no valid name starts with it (``NameRule``).
  private static let asidePrefix = "!"

  /// Renames an unreadable room, so that a new room of its name neither overwrites it nor inherits its images and members.
  private static func setAside(_ name: RoomName, in database: Database) throws {
    let aside = asidePrefix + name.rawValue
    try database.execute(sql: "UPDATE OR REPLACE room SET name = ? WHERE name = ?", arguments: [aside, name])
    for table in ["image", "member"] {
      try database.execute(sql: "DELETE FROM \(table) WHERE room = ?", arguments: [aside])
      try database.execute(sql: "UPDATE \(table) SET room = ? WHERE room = ?", arguments: [aside, name])
    }
  }

  package func write(_ changes: [StoreChange]) async throws {
    try await database.write { database in
      for change in changes { try Self.carryOut(change, in: database) }
    }
  }

  private static func carryOut(_ change: StoreChange, in database: Database) throws {
    switch change {
    case .room(let name, let record): try write(record, of: name, in: database)
    case .roomGone(let name):
      try database.cachedStatement(sql: "DELETE FROM room WHERE name = ?").execute(arguments: [name])
      try database.cachedStatement(sql: "DELETE FROM image WHERE room = ?").execute(arguments: [name])
      try database.cachedStatement(sql: "DELETE FROM member WHERE room = ?").execute(arguments: [name])
    case .image(let room, let name, let file?):
      try database.execute(
        sql: "REPLACE INTO image (room, name, file) VALUES (?, ?, ?)", arguments: [room, name, Data(file)])
    case .image(let room, let name, nil):
      try database.cachedStatement(sql: "DELETE FROM image WHERE room = ? AND name = ?").execute(arguments: [room, name])
    case .kicked(let kick):
      try database.execute(
        sql: "REPLACE INTO kicked (room, user, token, expires) VALUES (?, ?, ?, ?)",
        arguments: [kick.room, kick.user, kick.token, kick.expires.timeIntervalSince1970])
    case .broadcast(let name, let begun?):
      try database.cachedStatement(sql: "REPLACE INTO broadcast (name, begun) VALUES (?, ?)").execute(arguments: [name, begun])
    case .broadcast(let name, nil):
      try database.cachedStatement(sql: "DELETE FROM broadcast WHERE name = ?").execute(arguments: [name])
    }
  }

  private static func write(_ record: RoomRecord, of name: RoomName, in database: Database) throws {
    if let room = record.room {
      try database.cachedStatement(sql: "REPLACE INTO room (name, value) VALUES (?, ?)").execute(arguments: [name, room])
    }
    if record.isWhole {
      try database.cachedStatement(sql: "DELETE FROM member WHERE room = ?").execute(arguments: [name])
    }
    for (user, value) in record.members {
      if let value {
        try database.cachedStatement(sql: "REPLACE INTO member (room, user, value) VALUES (?, ?, ?)")
          .execute(arguments: [name, user, value])
      } else {
        try database.cachedStatement(sql: "DELETE FROM member WHERE room = ? AND user = ?").execute(arguments: [name, user])
      }
    }
  }

  package func close() async { try? database.close() }
}

extension SQLiteStore: DocumentStore {
  package func documents(_ kind: DocumentKind) async throws -> [String: Data] {
    try await database.read { database in
      let rows = try Row.fetchAll(database, sql: "SELECT id, value FROM document WHERE kind = ?", arguments: [kind.rawValue])
      return Dictionary(rows.map { ($0[0], $0[1]) }) { first, _ in first }
    }
  }

  package func document(_ kind: DocumentKind, _ id: String) async throws -> Data? {
    try await database.read { database in
      try Data.fetchOne(
        database, sql: "SELECT value FROM document WHERE kind = ? AND id = ?", arguments: [kind.rawValue, id])
    }
  }

  package func set(_ document: Data?, _ kind: DocumentKind, _ id: String) async throws {
    try await database.write { database in
      if let document {
        try database.execute(
          sql: "REPLACE INTO document (kind, id, value) VALUES (?, ?, ?)", arguments: [kind.rawValue, id, document])
      } else {
        try database.execute(sql: "DELETE FROM document WHERE kind = ? AND id = ?", arguments: [kind.rawValue, id])
      }
    }
  }
}
