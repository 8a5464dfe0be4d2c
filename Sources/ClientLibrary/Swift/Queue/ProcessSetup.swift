import Logging
import RoomClient

/// What the library sets up once in a process, before its first connection and its first logger.
enum ProcessSetup {
  /// The log of the library: warnings go to standard error, the last lines into the reports of rooms.
  static let log: DiagnosticsLog = {
    let log = DiagnosticsLog()
    // The library contains its own swift-log.
    LoggingSystem.bootstrap {
      MultiplexLogHandler([StreamLogHandler.standardError(label: $0), log.handler(label: $0)])
    }
    return log
  }()
}
