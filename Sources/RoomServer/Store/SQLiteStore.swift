import RoomProtocol
import Foundation
import GRDB

/// Rooms in one SQLite file, with a write-ahead log (WAL). Each transaction is flushed to the disk (`synchronous = FULL`): answers
/// promise what is in it, and it outlives a power failure as well as the end of the process.
struct SQLiteStore: RoomStore {
  /// In the directory for data.
  static let fileName = "rooms.sqlite"

  private let database: DatabaseQueue

  /// Opens the file, and makes it and its tables where they are not there.
  init(in directory: DataDirectory) throws {
    // Publish URLs hold keys.
    let path = directory.privateFile(Self.fileName)
    var configuration = Configuration()
    configuration.label = "rooms"
    // Another process that has it, such as a backup, is waited for.
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
    return migrator
  }

  func load() async throws -> StoredServer {
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
        do { stored.rooms[name] = try decoder.decode(StoredRoom.self, from: value) } catch {
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

  /// Begins the name of a room that is set aside, and no other room's (``NameRule``).
  private static let asidePrefix = "!"

  /// Renames a room that can't be read, so that a new room of its name neither overwrites it nor inherits its images.
  private static func setAside(_ name: RoomName, in database: Database) throws {
    let aside = asidePrefix + name.rawValue
    try database.execute(sql: "UPDATE OR REPLACE room SET name = ? WHERE name = ?", arguments: [aside, name])
    try database.execute(sql: "DELETE FROM image WHERE room = ?", arguments: [aside])
    try database.execute(sql: "UPDATE image SET room = ? WHERE room = ?", arguments: [aside, name])
  }

  func write(_ changes: [StoreChange]) async throws {
    try await database.write { database in
      for change in changes { try Self.carryOut(change, in: database) }
    }
  }

  private static func carryOut(_ change: StoreChange, in database: Database) throws {
    switch change {
    case .room(let name, let value):
      try database.cachedStatement(sql: "REPLACE INTO room (name, value) VALUES (?, ?)").execute(arguments: [name, value])
    case .roomGone(let name):
      try database.cachedStatement(sql: "DELETE FROM room WHERE name = ?").execute(arguments: [name])
      try database.cachedStatement(sql: "DELETE FROM image WHERE room = ?").execute(arguments: [name])
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

  func close() async { try? database.close() }
}
