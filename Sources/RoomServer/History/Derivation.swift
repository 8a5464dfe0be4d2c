import GRDB

/// Derives sessions and lives from events.
enum Derivation {
  static func apply(_ entry: HistoryEntry, in database: Database) throws {
    let event = entry.event
    guard let room = event.room else { return try applyStream(entry, in: database) }
    switch event.kind {
    case .participantJoined: try join(event, in: room, database)
    case .participantLeft:
      let before = event.reason == "timedOut" ? try end(of: event.user, in: room, database) : nil
      try execute(
        "UPDATE session SET ended = max(begun, ?), reason = ?, by = ? WHERE room = ? AND user = ? AND ended IS NULL",
        [before?.time ?? event.time, before?.reason ?? event.reason, event.by, room, event.user], database)
    case .jobStarted where entry.stream != nil || entry.target != nil: try start(entry, in: room, database)
    case .jobEnded:
      try execute(
        "UPDATE live SET ended = ?, reason = ?, detail = ? WHERE room = ? AND job = ? AND ended IS NULL",
        [event.time, event.reason, event.detail, room, event.job], database)
    case .roomRestored:
      let start = try ServerEnd.start(in: database)
      let before = try start.flatMap { try ServerEnd(before: $0, in: database) }
      for user in try String.fetchAll(
        database, sql: "SELECT user FROM session WHERE room = ? AND ended IS NULL", arguments: [room])
      where !entry.users.contains(user) {
        try execute(
          "UPDATE session SET ended = max(begun, ?), reason = ? WHERE room = ? AND user = ? AND ended IS NULL",
          [before?.time ?? event.time, before?.reason ?? ServerEnd.stopped, room, user], database)
      }
    case .roomCreated, .roomClosed:
      // Events may have been lost: nothing outlives its room.
      let reason = event.kind == .roomClosed ? event.kind.rawValue : ServerEnd.stopped
      for table in ["session", "live"] { try end(table, of: room, at: event.time, reason: reason, in: database) }
    default: break
    }
  }

  /// An encoder's live has neither a room nor a job.
  private static func applyStream(_ entry: HistoryEntry, in database: Database) throws {
    let event = entry.event
    guard event.kind == .streamStarted || event.kind == .streamEnded else { return }
    // Also before a start: the event of the last end may have been lost.
    try execute(
      "UPDATE live SET ended = max(begun, ?) WHERE room IS NULL AND stream = ? AND ended IS NULL", [event.time, entry.stream],
      database)
    guard event.kind == .streamStarted else { return }
    try execute(
      "INSERT INTO live (stream, detail, begun) VALUES (?, ?, ?)", [entry.stream, entry.address, event.time], database)
  }

  /// Returns the detail of the end of a PK: the other room, which only the start names, and the score.
  static func detail(ofEnd event: HistoryEvent, in database: Database) throws -> String? {
    let peer = try String.fetchOne(
      database, sql: "SELECT detail FROM event WHERE room = ? AND kind = ? ORDER BY id DESC LIMIT 1",
      arguments: [event.room, HistoryEvent.Kind.pkBegan.rawValue])
    let parts = [peer, event.detail].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  static func end(_ table: String, of room: String, at time: Int64, reason: String, in database: Database) throws {
    try execute(
      "UPDATE \(table) SET ended = max(begun, ?), reason = ? WHERE room = ? AND ended IS NULL", [time, reason, room], database)
  }

  /// Returns the end of the server before, if the user was in the room then and has not returned since.
  private static func end(of user: String?, in room: String, _ database: Database) throws -> ServerEnd? {
    guard let start = try ServerEnd.start(in: database),
      try Int64.fetchOne(
        database, sql: "SELECT id FROM event WHERE id > ? AND room = ? AND user = ? AND kind = ? LIMIT 1",
        arguments: [start, room, user, HistoryEvent.Kind.participantJoined.rawValue]) == nil
    else { return nil }
    return try ServerEnd(before: start, in: database)
  }

  /// A user that returns after a restart continues its session.
  private static func join(_ event: HistoryEvent, in room: String, _ database: Database) throws {
    try execute(
      """
      INSERT INTO session (room, user, begun) SELECT ?1, ?2, ?3
      WHERE ?2 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM session WHERE room = ?1 AND user = ?2 AND ended IS NULL)
      """, [room, event.user, event.time], database)
  }

  /// A job that a restart resumes continues its live.
  private static func start(_ entry: HistoryEntry, in room: String, _ database: Database) throws {
    let event = entry.event
    try execute(
      """
      INSERT INTO live (room, job, user, stream, target, begun) SELECT ?1, ?2, ?3, ?4, ?5, ?6
      WHERE ?2 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM live WHERE room = ?1 AND job = ?2 AND ended IS NULL)
      """, [room, event.job, event.user, entry.stream, entry.target, entry.startedAt ?? event.time], database)
  }

  private static func execute(_ sql: String, _ arguments: StatementArguments, _ database: Database) throws {
    try database.cachedStatement(sql: sql).execute(arguments: arguments)
  }
}
