import Logging
import RoomTestSupport

/// A server's log, as lines.
final class LinesLog: Sendable {
  private let box = Shared<[String]>([])
  var lines: [String] { box.withLock { $0 } }
  var logger: Logger { Logger(label: "test") { [box] _ in Handler(box: box) } }

  private struct Handler: LogHandler {
    let box: Shared<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      box.withLock { $0.append("\(event.message) \(metadata.joined(separator: " ")) ") }
    }
  }
}
