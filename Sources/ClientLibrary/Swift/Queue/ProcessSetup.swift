import Logging
import RoomCOpenSSL
import RoomClient

/// What the library sets up once in a process, before its first connection and its first logger.
enum ProcessSetup {
  /// The log of the library: warnings go to standard error, the last lines into the reports of rooms.
  static let log: DiagnosticsLog = {
    // Connections end in the background. A program that exits meanwhile must not take OpenSSL from them.
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    let log = DiagnosticsLog()
    // The library contains its own swift-log.
    LoggingSystem.bootstrap {
      MultiplexLogHandler([StreamLogHandler.standardError(label: $0), log.handler(label: $0)])
    }
    return log
  }()
}
