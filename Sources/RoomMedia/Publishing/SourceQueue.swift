import Synchronization

/// The bounded way from whoever feeds a source to its encoder, and the tasks that work along it.
///
/// Feeding tasks hold the queue, not the source, so that a source can be let go; its end is the queue's.
final class SourceQueue<Frame: Sendable>: Sendable {
  /// For the encoder, which is the one reader.
  let frames: AsyncStream<Frame>
  private let continuation: AsyncStream<Frame>.Continuation
  private let state = Mutex(State())

  private struct State: Sendable {
    var tasks: [Task<Void, Never>] = []
    var isEnded = false
    var dropped: UInt64 = 0
  }

  /// - Parameter backlog: frames that wait; beyond it the oldest are dropped.
  init(backlog: Int) {
    (frames, continuation) = AsyncStream.makeStream(of: Frame.self, bufferingPolicy: .bufferingNewest(backlog))
  }

  /// Frames that found the encoder busy with older ones.
  var dropped: UInt64 { state.withLock { $0.dropped } }

  /// Without effect after the end.
  func push(_ frame: Frame) {
    if case .dropped = continuation.yield(frame) { state.withLock { $0.dropped += 1 } }
  }

  /// Starts a task that is cancelled at the end.
  func run(_ body: @escaping @Sendable () async -> Void) {
    let task = Task { await body() }
    let isLate = state.withLock { state in
      if !state.isEnded { state.tasks.append(task) }
      return state.isEnded
    }
    if isLate { task.cancel() }
  }

  func end() {
    continuation.finish()
    let tasks = state.withLock { state in
      state.isEnded = true
      defer { state.tasks = [] }
      return state.tasks
    }
    for task in tasks { task.cancel() }
  }
}
