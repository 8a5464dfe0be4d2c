import GRDB

/// Derives sessions and lives from events.
enum Derivation {
  static func apply(_ entry: HistoryEntry, in database: Database) throws {
    let event = entry.event
    guard let room = event.room else { return }
    switch event.kind {
    case .participantJoined: try join(event, in: room, database)
    case .participantLeft:
      try execute(
        "UPDATE session SET ended = ?, reason = ?, by = ? WHERE room = ? AND user = ? AND ended IS NULL",
        [event.time, event.reason, event.by, room, event.user], database)
    case .jobStarted where entry.stream != nil || entry.target != nil: try start(entry, in: room, database)
    case .jobEnded:
      try execute(
        "UPDATE live SET ended = ?, reason = ?, detail = ? WHERE room = ? AND job = ? AND ended IS NULL",
        [event.time, event.reason, event.detail, room, event.job], database)
    case .roomRestored:
      for user in try String.fetchAll(
        database, sql: "SELECT user FROM session WHERE room = ? AND ended IS NULL", arguments: [room])
      where !entry.users.contains(user) {
        try execute(
          "UPDATE session SET ended = ?, reason = ? WHERE room = ? AND user = ? AND ended IS NULL",
          [event.time, HistoryStore.stopped, room, user], database)
      }
    case .roomCreated, .roomClosed:
      // Events may have been lost: nothing outlives its room.
      let reason = event.kind == .roomClosed ? event.kind.rawValue : HistoryStore.stopped
      for table in ["session", "live"] { try end(table, of: room, at: event.time, reason: reason, in: database) }
    default: break
    }
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
