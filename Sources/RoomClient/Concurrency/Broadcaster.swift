import Synchronization

/// Sends each element to many readers. Every reader has its own bounded stream, and a slow reader loses only its own oldest
/// elements.
package final class Broadcaster<Element: Sendable>: Sendable {
  private struct State {
    var readers: [UInt64: AsyncStream<Element>.Continuation] = [:]
    var next: UInt64 = 0
    var finished = false
    /// The stream of all elements, until a reader takes it.
    var opening: AsyncStream<Element>?
  }

  private let state = Mutex(State())
  private let ended = EndedReaders()

  /// - Parameter backlog: the number of elements that the opening stream buffers; nil for no such stream.
  package init(openingBacklog backlog: Int? = nil) {
    guard let backlog else { return }
    let opening = stream(backlog: backlog)
    state.withLock { $0.opening = opening }
  }

  /// Returns the stream of all elements since the initialization, once; later nil.
  package func takeOpening() -> AsyncStream<Element>? { state.withLock { $0.opening.take() } }

  /// Returns a new stream of the elements sent from now on. The stream ends with the fan.
  /// - Parameters:
  ///   - backlog: the number of elements that the stream buffers.
  ///   - first: an element that the stream starts with.
  package func stream(backlog: Int, first: Element? = nil) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(max(1, backlog)))
    if let first { continuation.yield(first) }
    removeEnded()
    let id: UInt64? = state.withLock { state in
      guard !state.finished else { return nil }
      state.next &+= 1
      state.readers[state.next] = continuation
      return state.next
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.ended.add(id) }
    return stream
  }

  private func removeEnded() {
    let ids = ended.take()
    guard !ids.isEmpty else { return }
    // The removed continuations are released outside the lock, because their deinitialization may run other code.
    _ = state.withLock { state in ids.compactMap { state.readers.removeValue(forKey: $0) } }
  }

  package func send(_ element: Element) {
    removeEnded()
    // Under the lock, so that all readers see one order.
    state.withLock { state in
      for reader in state.readers.values { reader.yield(element) }
    }
  }

  package func finish() {
    let readers = state.withLock { state in
      state.finished = true
      defer { state.readers = [:] }
      return Array(state.readers.values)
    }
    for reader in readers { reader.finish() }
  }
}

/// The readers whose streams ended, until their owner removes them.
///
/// A stream ends in the middle of a task's cancellation, which blocks whoever resumes that task. So a handler of the end must not
/// wait for a lock under which elements are sent.
final class EndedReaders: Sendable {
  private let ids = Mutex([UInt64]())

  func add(_ id: UInt64) { ids.withLock { $0.append(id) } }

  /// Returns the readers that ended since the last call.
  func take() -> [UInt64] {
    ids.withLock { ids in
      defer { ids = [] }
      return ids
    }
  }
}
