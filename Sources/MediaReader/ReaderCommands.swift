import Dispatch
import Glibc
import Synchronization

/// The commands of a reader process, which a thread of their own reads from the standard input. The input's end ends the
/// process.
final class ReaderCommands: Sendable {
  private let newest = Mutex<ReaderCommand?>(nil)
  private let arrived = DispatchSemaphore(value: 0)

  init() {
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<ReaderCommands>.fromOpaque(pointer).takeRetainedValue().read()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
  }

  private func read() {
    while let line = readLine() {
      guard let command = ReaderCommand(line: line) else { continue }
      newest.withLock { $0 = command }
      arrived.signal()
    }
    exit(0)
  }

  /// Returns the newest command that was not taken.
  func take() -> ReaderCommand? { newest.withLock { $0.take() } }

  /// Waits for a command that was not taken.
  func wait() { while newest.withLock({ $0 == nil }) { arrived.wait() } }
}
