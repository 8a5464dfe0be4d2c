import Logging
import RoomClient

/// The log of the library: warnings on standard error, and the last lines for the reports of rooms.
enum ClientLog {
  static let shared: DiagnosticsLog = {
    let log = DiagnosticsLog()
    // Once in a process: the library contains its own swift-log.
    LoggingSystem.bootstrap {
      MultiplexLogHandler([StreamLogHandler.standardError(label: $0), log.handler(label: $0)])
    }
    return log
  }()
}
