import Foundation
public import Logging
import Synchronization

/// The last lines of the app's log, for a diagnostics report. Secrets are removed from each line before it is kept.
///
/// ```swift
/// let log = DiagnosticsLog()
/// LoggingSystem.bootstrap { MultiplexLogHandler([StreamLogHandler.standardError(label: $0), log.handler(label: $0)]) }
/// ```
public final class DiagnosticsLog: Sendable {
  /// The longest kept line, in characters. The rest of a longer one is left out.
  static let longestLine = 1000

  private let capacity: Int
  private let kept = Mutex<[String]>([])

  /// Creates an empty log.
  /// - Parameter capacity: the number of lines, 1…10,000. The oldest are dropped.
  public init(capacity: Int = 500) { self.capacity = min(max(capacity, 1), 10_000) }

  /// The lines, oldest first: time, level, label, message, metadata.
  public var lines: [String] { kept.withLock { $0 } }

  /// Returns a handler that writes into this log.
  public func handler(label: String, level: Logger.Level = .debug) -> any LogHandler {
    Handler(log: self, label: label, logLevel: level)
  }

  func add(_ line: String) {
    let line = Redaction.apply(to: String(line.prefix(Self.longestLine)))
    kept.withLock { $0.append(line, most: capacity) }
  }

  private struct Handler: LogHandler {
    let log: DiagnosticsLog
    let label: String
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let values = self.metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }.map {
        "\($0.key)=\($0.value)"
      }
      log.add("\(Date().ISO8601Format()) \(event.level) \(label): \(event.message) \(values.joined(separator: " "))")
    }
  }
}
