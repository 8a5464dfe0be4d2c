import Foundation
import Synchronization

/// Prints reports: updated in place on a terminal, as plain lines elsewhere.
final class StatusReport: Sendable {
  let isTerminal = isatty(STDOUT_FILENO) == 1
  /// Lines of the last report on the terminal, which the next update overwrites.
  private let drawnLines = Mutex(0)

  /// Prints a permanent line.
  func line(_ text: String) {
    drawnLines.withLock { $0 = 0 }
    write(text + "\n")
  }

  /// Shows the current state, one line per element.
  func update(_ lines: [String]) {
    let up = drawnLines.withLock { drawnLines in
      defer { drawnLines = lines.count }
      return drawnLines
    }
    // Moves the cursor to the report's first line and clears everything below (ECMA-48 CPL, ED).
    let rewind = isTerminal && up > 0 ? "\u{1b}[\(up)F\u{1b}[J" : ""
    write(rewind + lines.map { $0 + "\n" }.joined())
  }

  /// Keeps the last report on the terminal.
  func finish() { drawnLines.withLock { $0 = 0 } }

  private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
