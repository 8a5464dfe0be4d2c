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

  /// - Parameter backlog: the number of elements that the opening stream buffers; nil for no such stream.
  package init(openingBacklog backlog: Int? = nil) {
    guard let backlog else { return }
    let opening = stream(backlog: backlog)
    state.withLock { $0.opening = opening }
  }

  /// Returns the stream of all elements since the initialization, once; later nil.
  func takeOpening() -> AsyncStream<Element>? { state.withLock { $0.opening.take() } }

  /// Returns a new stream of the elements sent from now on. It ends with the fan.
  /// - Parameters:
  ///   - backlog: the number of elements that the stream buffers.
  ///   - first: an element that the stream starts with.
  package func stream(backlog: Int, first: Element? = nil) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(max(1, backlog)))
    if let first { continuation.yield(first) }
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
    continuation.onTermination = { [weak self] _ in
      // The removed continuation is released outside the lock, because its deinitialization may run other code.
      _ = self?.state.withLock { $0.readers.removeValue(forKey: id) }
    }
    return stream
  }

  package func send(_ element: Element) {
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
