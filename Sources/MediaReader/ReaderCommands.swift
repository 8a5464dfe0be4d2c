import Glibc
import Synchronization

/// The commands of a reader process, which a thread of their own reads from the standard input. Its end ends the process.
final class ReaderCommands: Sendable {
  private let newest = Mutex<ReaderCommand?>(nil)
  /// Signals that a command is waiting: a pipe, because semaphores are no Swift values.
  private let (output, input): (CInt, CInt)

  init() {
    var ends: [CInt] = [-1, -1]
    _ = pipe(&ends)
    (output, input) = (ends[0], ends[1])
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
      _ = write(input, "s", 1)
    }
    exit(0)
  }

  /// Returns the newest command that was not taken.
  func take() -> ReaderCommand? { newest.withLock { $0.take() } }

  /// Waits for a command that was not taken.
  func wait() -> Bool {
    while newest.withLock({ $0 == nil }) {
      var byte: UInt8 = 0
      guard Glibc.read(output, &byte, 1) == 1 || errno == EINTR else { return false }
    }
    return true
  }
}
