import GRDB

/// The end of the server that wrote a history before the present one.
struct ServerEnd {
  /// The time of its last event, in milliseconds since 1970.
  var time: Int64
  /// The reason of the ends of what was open then.
  var reason: String

  /// The server stopped, or events of its rooms were lost.
  static let stopped = "serverStopped"
  /// The server ended without recording it: it was killed, or it crashed.
  static let crashed = "serverCrashed"

  /// Returns nil if there was no server before.
  /// - Parameter start: the id of the event of the present server's start; nil if it is not recorded yet.
  init?(before start: Int64?, in database: Database) throws {
    guard
      let last = try Row.fetchOne(
        database, sql: "SELECT time, kind FROM event WHERE id < ? ORDER BY id DESC LIMIT 1", arguments: [start ?? .max])
    else { return nil }
    let kind: String = last["kind"]
    time = last["time"]
    reason = kind == HistoryEvent.Kind.serverStopped.rawValue ? Self.stopped : Self.crashed
  }

  /// Returns the id of the event of the present server's start; nil if that is not recorded.
  static func start(in database: Database) throws -> Int64? {
    try Int64.fetchOne(
      database, sql: "SELECT max(id) FROM event WHERE kind = ?", arguments: [HistoryEvent.Kind.serverStarted.rawValue])
  }
}
