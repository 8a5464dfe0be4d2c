import Foundation
import Synchronization

/// What a run is doing: a line that is renewed on a terminal; elsewhere a line now and then; nothing where only the result is
/// wanted.
final class FanoutProgress: Sendable {
  private static let plainInterval = Duration.seconds(5)

  private let report: StatusReport?
  private let isTerminal = isatty(STDOUT_FILENO) == 1
  private let last = Mutex<ContinuousClock.Instant?>(nil)

  init(isWanted: Bool) { report = isWanted ? StatusReport() : nil }

  var isWanted: Bool { report != nil }

  /// The present state.
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

  /// Something that stays, in place of the present state.
  func line(_ text: String) {
    guard let report else { return }
    report.update([])
    report.line(text)
  }
}
