import Foundation
import GRDB

/// Rooms in one SQLite file. It is written ahead (WAL): what was written is there after the process was killed; after a power failure
/// the last moments may be missing, and the file is whole.
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
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
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
        let (name, value): (String, Data) = (row[0], row[1])
        do { stored.rooms[name] = try decoder.decode(StoredRoom.self, from: value) } catch {
          stored.unreadable[name] = String(describing: error)
        }
      }
      for row in try Row.fetchAll(database, sql: "SELECT room, name, file FROM image") {
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

  func write(_ changes: [StoreChange]) async throws {
    try await database.write { database in
      for change in changes { try Self.carryOut(change, in: database) }
    }
  }

  private static func carryOut(_ change: StoreChange, in database: Database) throws {
    switch change {
    case .room(let name, let value):
      try database.execute(sql: "REPLACE INTO room (name, value) VALUES (?, ?)", arguments: [name, value])
    case .roomGone(let name):
      try database.execute(sql: "DELETE FROM room WHERE name = ?", arguments: [name])
      try database.execute(sql: "DELETE FROM image WHERE room = ?", arguments: [name])
    case .image(let room, let name, let file?):
      try database.execute(
        sql: "REPLACE INTO image (room, name, file) VALUES (?, ?, ?)", arguments: [room, name, Data(file)])
    case .image(let room, let name, nil):
      try database.execute(sql: "DELETE FROM image WHERE room = ? AND name = ?", arguments: [room, name])
    case .kicked(let kick):
      try database.execute(
        sql: "REPLACE INTO kicked (room, user, token, expires) VALUES (?, ?, ?, ?)",
        arguments: [kick.room, kick.user, kick.token, kick.expires.timeIntervalSince1970])
    case .broadcast(let name, let begun?):
      try database.execute(sql: "REPLACE INTO broadcast (name, begun) VALUES (?, ?)", arguments: [name, begun])
    case .broadcast(let name, nil):
      try database.execute(sql: "DELETE FROM broadcast WHERE name = ?", arguments: [name])
    }
  }

  func close() async { try? database.close() }
}
