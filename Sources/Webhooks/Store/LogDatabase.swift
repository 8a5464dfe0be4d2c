package import GRDB

/// The database of a log of events.
package enum LogDatabase {
  /// Opens a SQLite file with a write-ahead log (WAL) and `synchronous = NORMAL`: commits outlive the process; a power failure
  /// may lose the last moments.
  /// - Parameter path: the path of the file, which is created if missing; nil keeps everything in memory.
  package static func open(path: String?) throws -> any DatabaseWriter {
    guard let path else { return try DatabaseQueue() }
    var configuration = GRDB.Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
    return try DatabasePool(path: path, configuration: configuration)
  }
}
