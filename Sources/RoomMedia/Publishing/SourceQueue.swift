import Synchronization

/// The bounded queue between the producer of a source and its encoder, and the tasks of the source.
///
/// Producing tasks retain the queue and not the source, so that a source can be released. The source's end ends the queue.
package final class SourceQueue<Frame: Sendable>: Sendable {
  /// The frames, for the encoder as the only reader.
  package let frames: AsyncStream<Frame>
  private let continuation: AsyncStream<Frame>.Continuation
  private let state = Mutex(State())

  private struct State: Sendable {
    var tasks: [Task<Void, Never>] = []
    var isEnded = false
    var dropped: UInt64 = 0
  }

  /// - Parameter backlog: the capacity in frames. Beyond it the oldest are dropped.
  package init(backlog: Int) {
    (frames, continuation) = AsyncStream.makeStream(of: Frame.self, bufferingPolicy: .bufferingNewest(backlog))
  }

  /// The number of frames dropped because the encoder was busy.
  package var dropped: UInt64 { state.withLock { $0.dropped } }

  /// Adds a frame. Does nothing after the end.
  /// - Returns: false if a frame was dropped: the oldest of a full queue, or this one after the end.
  @discardableResult package func push(_ frame: Frame) -> Bool {
    switch continuation.yield(frame) {
    case .enqueued: return true
    case .dropped:
      state.withLock { $0.dropped += 1 }
      return false
    default: return false
    }
  }

  /// Starts a task that the queue's end cancels.
  package func run(_ body: @escaping @Sendable () async -> Void) {
    let task = Task { await body() }
    let isLate = state.withLock { state in
      if !state.isEnded { state.tasks.append(task) }
      return state.isEnded
    }
    if isLate { task.cancel() }
  }

  package func end() {
    continuation.finish()
    let tasks = state.withLock { state in
      state.isEnded = true
      defer { state.tasks = [] }
      return state.tasks
    }
    for task in tasks { task.cancel() }
  }
}
