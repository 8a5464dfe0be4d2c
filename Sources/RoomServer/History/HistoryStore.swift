import GRDB
import RoomLiveOrigin
import RoomWebhooks

/// The history in one SQLite file, or in memory: events, and the sessions and lives that follow from them.
struct HistoryStore: Sendable {
  /// The name of the file in the data directory.
  static let fileName = "history.sqlite"

  private let database: any DatabaseWriter

  /// - Parameter path: the path of the file, which is created if missing; nil keeps everything in memory.
  init(path: String?) throws {
    database = try LogDatabase.open(path: path)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      try database.execute(
        sql: """
          CREATE TABLE event (
            id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, kind TEXT NOT NULL, room TEXT, user TEXT, by TEXT,
            job TEXT, reason TEXT, detail TEXT);
          CREATE INDEX event_room ON event (room);
          CREATE INDEX event_user ON event (user);
          CREATE INDEX event_time ON event (time);
          CREATE TABLE session (
            id INTEGER PRIMARY KEY AUTOINCREMENT, room TEXT NOT NULL, user TEXT NOT NULL, begun INTEGER NOT NULL,
            ended INTEGER, reason TEXT, by TEXT);
          CREATE INDEX session_room ON session (room);
          CREATE INDEX session_user ON session (user);
          CREATE INDEX session_open ON session (room, user) WHERE ended IS NULL;
          CREATE TABLE live (
            id INTEGER PRIMARY KEY AUTOINCREMENT, room TEXT NOT NULL, user TEXT, job TEXT NOT NULL, stream TEXT, target TEXT,
            begun INTEGER NOT NULL, ended INTEGER, reason TEXT, detail TEXT, viewers INTEGER);
          CREATE INDEX live_room ON live (room);
          CREATE INDEX live_open ON live (room, job) WHERE ended IS NULL;
          """)
    }
    migrator.registerMigration("2") { database in
      try database.execute(
        sql: """
          CREATE INDEX event_kind ON event (kind);
          CREATE INDEX session_ended ON session (ended) WHERE ended IS NOT NULL;
          CREATE INDEX live_ended ON live (ended) WHERE ended IS NOT NULL;
          CREATE INDEX live_user ON live (user);
          """)
    }
    // Lives of encoders have neither a room nor a job.
    migrator.registerMigration("3") { database in
      try database.execute(
        sql: """
          CREATE TABLE new_live (
            id INTEGER PRIMARY KEY AUTOINCREMENT, room TEXT, user TEXT, job TEXT, stream TEXT, target TEXT,
            begun INTEGER NOT NULL, ended INTEGER, reason TEXT, detail TEXT, viewers INTEGER);
          INSERT INTO new_live SELECT id, room, user, job, stream, target, begun, ended, reason, detail, viewers FROM live;
          DROP TABLE live;
          ALTER TABLE new_live RENAME TO live;
          CREATE INDEX live_room ON live (room);
          CREATE INDEX live_user ON live (user);
          CREATE INDEX live_open ON live (room, job) WHERE ended IS NULL;
          CREATE INDEX live_ended ON live (ended) WHERE ended IS NOT NULL;
          """)
    }
    try migrator.migrate(database)
  }

  /// Remove what is beyond a number of rows.
  static let surplus = ["event WHERE true", "session WHERE ended IS NOT NULL", "live WHERE ended IS NOT NULL"].map {
    "DELETE FROM \($0) AND id <= (SELECT max(id) FROM \($0.prefix { $0 != " " })) - ?"
  }
  /// Remove what ended before a time.
  static let aged = [
    "DELETE FROM event WHERE time < ?", "DELETE FROM session WHERE ended < ?", "DELETE FROM live WHERE ended < ?",
  ]

  func close() { try? database.close() }

  func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
    try await database.read(body)
  }

  /// Returns the steps of SQLite's plan of a statement.
  func plan(of statement: String) async throws -> [String] {
    try await read { database in
      // Unbound parameters are null.
      let plan = try database.makeStatement(sql: "EXPLAIN QUERY PLAN " + statement)
      plan.setUncheckedArguments(StatementArguments())
      return try Row.fetchAll(plan).map { $0["detail"] }
    }
  }

  /// Ends the lives of encoders, and the sessions and lives of rooms that this server does not continue, at the time of the last
  /// event before its start.
  func resume(rooms: Set<String>) throws {
    try database.write { database in
      let before = try ServerEnd(before: nil, in: database)
      // All events may have been too old; nothing ends before it began.
      let (time, reason) = (before?.time ?? 0, before?.reason ?? ServerEnd.crashed)
      for table in ["session", "live"] {
        for room in try String.fetchAll(
          database, sql: "SELECT DISTINCT room FROM \(table) WHERE room IS NOT NULL AND ended IS NULL")
        where !rooms.contains(room) {
          try Derivation.end(table, of: room, at: time, reason: reason, in: database)
        }
      }
      try database.execute(
        sql: "UPDATE live SET ended = max(begun, ?), reason = ? WHERE room IS NULL AND ended IS NULL",
        arguments: [time, reason])
    }
  }

  /// Stores events, and the sessions and lives that follow from them.
  func append(_ entries: [HistoryEntry]) async throws {
    try await database.write { database in
      let insert = try database.cachedStatement(
        sql: "INSERT INTO event (time, kind, room, user, by, job, reason, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
      for entry in entries {
        var event = entry.event
        if event.kind == .pkEnded { event.detail = try Derivation.detail(ofEnd: event, in: database) }
        try insert.execute(
          arguments: [
            event.time, event.kind.rawValue, event.room, event.user, event.by, event.job, event.reason, event.detail,
          ])
        try Derivation.apply(entry, in: database)
      }
    }
  }

  /// Raises the peaks of running lives.
  /// - Parameter viewers: the current number of viewers by stream.
  func note(viewers: [StreamPath: Int]) async throws {
    try await database.write { database in
      let update = try database.cachedStatement(
        sql: "UPDATE live SET viewers = max(coalesce(viewers, 0), ?) WHERE ended IS NULL AND stream = ?")
      for (path, count) in viewers { try update.execute(arguments: [count, path.name]) }
    }
  }

  /// Removes all but the newest `rows` of each table, and what ended before `time`. Returns the numbers of removed rows.
  /// Sessions and lives that have not ended remain: what is open is limited by the server's limits of participants and jobs.
  func prune(keeping rows: Int, since time: Int64) async throws -> (surplus: Int, aged: Int) {
    try await database.write { database in
      var (surplus, aged) = (0, 0)
      for statement in Self.surplus {
        try database.execute(sql: statement, arguments: [rows])
        surplus += database.changesCount
      }
      for statement in Self.aged {
        try database.execute(sql: statement, arguments: [time])
        aged += database.changesCount
      }
      return (surplus, aged)
    }
  }
}
