import NIOConcurrencyHelpers

/// Sends each element to many readers. Every reader has its own bounded stream, and a slow reader loses only its own oldest
/// elements.
final class Broadcaster<Element: Sendable>: Sendable {
  private struct State {
    var readers: [UInt64: AsyncStream<Element>.Continuation] = [:]
    var next: UInt64 = 0
    var finished = false
    /// The elements sent before the first reader, which receives them; nil once there was a reader.
    var early: [Element]?
  }

  private let state: NIOLockedValueBox<State>
  private let earlyLimit: Int

  /// - Parameter early: the number of elements kept for the first reader.
  init(early: Int = 0) {
    earlyLimit = early
    state = NIOLockedValueBox(State(early: early > 0 ? [] : nil))
  }

  /// Returns a new stream of the elements sent from now on. It ends with the fan.
  /// - Parameters:
  ///   - backlog: the number of elements that the stream buffers.
  ///   - first: an element that the stream starts with.
  ///   - takingEarly: whether this is the first reader, which receives the kept elements.
  func stream(backlog: Int, first: Element? = nil, takingEarly: Bool = true) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(max(1, backlog)))
    if let first { continuation.yield(first) }
    let id: UInt64? = state.withLockedValue { state in
      if takingEarly {
        for element in state.early ?? [] { continuation.yield(element) }
        state.early = nil
      }
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
      _ = self?.state.withLockedValue { $0.readers.removeValue(forKey: id) }
    }
    return stream
  }

  func send(_ element: Element) {
    // Under the lock, so that all readers see one order.
    state.withLockedValue { state in
      if let count = state.early?.count, count < earlyLimit { state.early?.append(element) }
      for reader in state.readers.values { reader.yield(element) }
    }
  }

  func finish() {
    let readers = state.withLockedValue { state in
      state.finished = true
      defer { state.readers = [:] }
      return Array(state.readers.values)
    }
    for reader in readers { reader.finish() }
  }
}
