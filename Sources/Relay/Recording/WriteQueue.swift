import NIOPosix
import Synchronization

/// What waits to be written to a file.
protocol WriteBacklog: Sendable {
  associatedtype Batch
  /// Whether enough waits to begin a write.
  var isDue: Bool { get }
  /// Removes and returns all that waits.
  mutating func take() -> Batch
}

/// A backlog that one thread fills and threads of a pool write. Only one of them writes at a time.
final class WriteQueue<Backlog: WriteBacklog>: Sendable {
  private struct State {
    var backlog: Backlog
    var isClosed = false
    /// Whether nothing is written any more.
    var isOver = false
    /// Whether a drain is pending.
    var isScheduled = false

    /// Returns whether the caller must schedule a drain.
    mutating func takesTurn(_ isDue: Bool) -> Bool {
      guard isDue, !isScheduled, !isOver else { return false }
      isScheduled = true
      return true
    }
  }

  private let state: Mutex<State>
  private let pool: NIOThreadPool

  init(_ backlog: Backlog, pool: NIOThreadPool) {
    state = Mutex(State(backlog: backlog))
    self.pool = pool
  }

  /// Adds to the backlog. After the close, and after the end of the file, this has no effect.
  /// - Parameter drain: calls ``drain(_:_:)``, on a thread of the pool.
  func add(_ change: (inout Backlog) -> Void, drain: @escaping @Sendable () -> Void) {
    let isDue = state.withLock { state in
      guard !state.isClosed, !state.isOver else { return false }
      change(&state.backlog)
      return state.takesTurn(state.backlog.isDue)
    }
    if isDue { schedule(drain) }
  }

  /// Adds the last of the backlog. A second call has no effect.
  func close(_ change: (inout Backlog) -> Void = { _ in }, drain: @escaping @Sendable () -> Void) {
    let isDue = state.withLock { state in
      guard !state.isClosed else { return false }
      state.isClosed = true
      change(&state.backlog)
      return state.takesTurn(true)
    }
    if isDue { schedule(drain) }
  }

  func read<Value>(_ body: (Backlog) -> Value) -> Value { state.withLock { body($0.backlog) } }

  private func schedule(_ drain: @escaping @Sendable () -> Void) {
    // The closure is called even if the pool is stopped.
    pool.submit { _ in drain() }
  }

  /// Writes what waits.
  /// - Parameter write: writes a batch; the last one if the queue is closed. Returns the result once nothing more is to be written.
  /// - Returns: the result of the file, once.
  func drain<Result>(_ drain: @escaping @Sendable () -> Void, _ write: (Backlog.Batch, _ isLast: Bool) -> Result?) -> Result? {
    let (batch, isLast) = state.withLock { ($0.backlog.take(), $0.isClosed) }
    let result = write(batch, isLast)
    let isDueAgain = state.withLock { state in
      state.isScheduled = false
      if result != nil {
        state.isOver = true
        _ = state.backlog.take()
      }
      return state.takesTurn(state.isClosed || state.backlog.isDue)
    }
    if isDueAgain { schedule(drain) }
    return result
  }
}
