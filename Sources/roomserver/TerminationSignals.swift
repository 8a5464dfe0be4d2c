import Dispatch
import Glibc

/// The signals that ask the process to end, in the order of their arrival.
struct TerminationSignals: Sendable {
  enum Signal: Int32, CaseIterable {
    /// SIGTERM ends the server after its drain.
    case terminate = 15
    /// SIGINT ends the server at once.
    case interrupt = 2
  }

  private let arrivals: AsyncStream<Signal>
  private let arrived: AsyncStream<Signal>.Continuation

  init() { (arrivals, arrived) = AsyncStream.makeStream(of: Signal.self, bufferingPolicy: .bufferingNewest(8)) }

  /// Observes the signals, which have no other effect from now on. The signals are observed as long as the result exists.
  func observe() -> [any DispatchSourceSignal] {
    Signal.allCases.map { [arrived] signal in
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
