import Dispatch
import Glibc

/// The signals that ask the process to end, in the order of their arrival. They have no other effect from the creation of this
/// value on.
struct TerminationSignals {
  enum Signal: Int32, CaseIterable {
    /// Ends the server after its drain.
    case terminate = 15
    /// Ends the server at once.
    case interrupt = 2
  }

  private let sources: [any DispatchSourceSignal]
  private let arrivals: AsyncStream<Signal>

  init() {
    let (arrivals, arrived) = AsyncStream.makeStream(of: Signal.self, bufferingPolicy: .bufferingNewest(8))
    self.arrivals = arrivals
    sources = Signal.allCases.map { signal in
      // Dispatch observes signals that the process ignores.
      Glibc.signal(signal.rawValue, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: signal.rawValue, queue: .global())
      source.setEventHandler { arrived.yield(signal) }
      source.resume()
      return source
    }
  }

  /// Returns the next signal, or nil if the task is cancelled. Only one task may wait at a time.
  func next() async -> Signal? {
    for await signal in arrivals { return signal }
    return nil
  }

  /// Returns when this signal arrives, or when the task is cancelled.
  func wait(for wanted: Signal) async { for await signal in arrivals where signal == wanted { return } }
}
