import Foundation
import Synchronization

/// Shows the progress of a run: a line that is updated in place on a terminal, occasional lines elsewhere, or nothing if only
/// the result is wanted.
final class ProgressLine: Sendable {
  private static let plainInterval = Duration.seconds(5)

  private let report: StatusReport?
  private let isTerminal = isatty(STDOUT_FILENO) == 1
  private let last = Mutex<ContinuousClock.Instant?>(nil)

  init(isWanted: Bool) { report = isWanted ? StatusReport() : nil }

  var isWanted: Bool { report != nil }

  /// Shows the current state.
  func now(_ text: String) {
    guard let report else { return }
    let isDue = last.withLock { last in
      let now = ContinuousClock.now
      guard isTerminal || last.map({ now - $0 >= Self.plainInterval }) ?? true else { return false }
      last = now
      return true
    }
    if isDue { report.update([text]) }
  }

  /// Prints a permanent line in place of the current state.
  func line(_ text: String) {
    guard let report else { return }
    report.update([])
    report.line(text)
  }
}
