import Foundation
import Synchronization

/// Prints reports: renewed in place on a terminal, as plain lines elsewhere.
final class StatusReport: Sendable {
  let isTerminal = isatty(STDOUT_FILENO) == 1
  /// Lines of the report that stand on the terminal and are to be written over.
  private let standing = Mutex(0)

  /// Something that stays.
  func line(_ text: String) {
    standing.withLock { $0 = 0 }
    write(text + "\n")
  }

  /// The present state, one line each.
  func update(_ lines: [String]) {
    let up = standing.withLock { standing in
      defer { standing = lines.count }
      return standing
    }
    // Up to the report's first line, and clear from there on (ECMA-48 CPL, ED).
    let rewind = isTerminal && up > 0 ? "\u{1b}[\(up)F\u{1b}[J" : ""
    write(rewind + lines.map { $0 + "\n" }.joined())
  }

  /// The report stands for good.
  func finish() { standing.withLock { $0 = 0 } }

  private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
