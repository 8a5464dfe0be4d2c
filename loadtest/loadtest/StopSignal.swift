import Dispatch
import Glibc
import Synchronization

/// Lets a task wait for SIGINT or SIGTERM. A second signal ends the process at once.
final class StopSignal: Sendable {
  private let signals: AsyncStream<Void>
  /// Retained so that the handlers stay installed.
  private let sources: Mutex<[any DispatchSourceSignal]>

  init() {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.signals = signals
    sources = Mutex([SIGINT, SIGTERM].map { Self.source($0, continuation) })
  }

  private static func source(
    _ number: Int32, _ continuation: AsyncStream<Void>.Continuation
  ) -> sending any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { @Sendable in
      continuation.yield()
      signal(number, SIG_DFL)
    }
    source.resume()
    return source
  }

  /// Returns on the first signal, or when the task is cancelled.
  func wait() async {
    for await _ in signals { return }
  }
}
