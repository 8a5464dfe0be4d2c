import Dispatch
import Glibc
import Synchronization

/// SIGINT and SIGTERM as something to wait for. A second one ends the process at once.
final class StopSignal: Sendable {
  private let signals: AsyncStream<Void>
  /// Kept alive as long as this.
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

  /// Returns at the first signal, or when the task is cancelled.
  func wait() async {
    for await _ in signals { return }
  }
}
