import GRDB

/// A page of the history: the filters, and the row that it follows.
struct HistoryQuery: Sendable, Hashable {
  var room: String?
  var user: String?
  var kind: HistoryEvent.Kind?
  /// Milliseconds since 1970. Sessions and lives match if any part of them lies between the two.
  var from: Int64?
  var to: Int64?
  /// Only rows with smaller ids.
  var before: Int64?
  var limit = 100

  /// A page, newest first.
  struct Page<Row: Sendable>: Sendable {
    var rows: [Row]
    /// The `before` of the next page; nil if this is the last one.
    var next: Int64?
  }

  func events(in store: HistoryStore) async throws -> Page<HistoryEvent> {
    try await page("event", begin: "time", end: "time", in: store, id: \.id) { row in
      guard let kind = HistoryEvent.Kind(rawValue: row["kind"]) else { return nil }
      var event = HistoryEvent(
        kind, time: row["time"], room: row["room"], user: row["user"], reason: row["reason"], detail: row["detail"])
      (event.id, event.by, event.job) = (row["id"], row["by"], row["job"])
      return event
    }
  }

  func sessions(in store: HistoryStore) async throws -> Page<HistorySession> {
    try await page("session", begin: "begun", end: "ended", in: store, id: \.id) { row in
      HistorySession(
        id: row["id"], room: row["room"], user: row["user"], joinedAt: row["begun"], leftAt: row["ended"],
        reason: row["reason"], by: row["by"])
    }
  }

  func lives(in store: HistoryStore) async throws -> Page<HistoryLive> {
    try await page("live", begin: "begun", end: "ended", in: store, id: \.id) { row in
      HistoryLive(
        id: row["id"], room: row["room"], job: row["job"], stream: row["stream"], target: row["target"], user: row["user"],
        startedAt: row["begun"], endedAt: row["ended"], reason: row["reason"], detail: row["detail"],
        peakViewers: row["viewers"])
    }
  }

  private func page<Value: Sendable>(
    _ table: String, begin: String, end: String, in store: HistoryStore, id: @escaping @Sendable (Value) -> Int64,
    _ make: @escaping @Sendable (Row) -> Value?
  ) async throws -> Page<Value> {
    let (sql, arguments) = statement(table, begin: begin, end: end)
    let rows = try await store.read { database in
      try Row.fetchAll(database, sql: sql, arguments: arguments).compactMap(make)
    }
    return Page(rows: Array(rows.prefix(limit)), next: rows.count > limit ? id(rows[limit - 1]) : nil)
  }

  /// Returns the statement that selects a page and one more row.
  func statement(_ table: String, begin: String, end: String) -> (sql: String, arguments: StatementArguments) {
    var (conditions, arguments) = (["true"], StatementArguments())
    func filter(_ condition: String, _ value: (any DatabaseValueConvertible)?) {
      guard let value else { return }
      conditions.append(condition)
      arguments += [value]
    }
    filter("room = ?", room)
    filter("user = ?", user)
    filter("kind = ?", kind?.rawValue)
    filter("coalesce(\(end), \(Int64.max)) >= ?", from)
    filter("\(begin) <= ?", to)
    filter("id < ?", before)
    let sql =
      "SELECT * FROM \(table) WHERE \(conditions.joined(separator: " AND ")) ORDER BY id DESC LIMIT \(limit + 1)"
    return (sql, arguments)
  }
}
