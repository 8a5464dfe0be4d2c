import NIOConcurrencyHelpers

/// Says each thing to many readers: every reader has its own bounded stream, and a slow one loses only its own oldest elements.
final class Fan<Element: Sendable>: Sendable {
  private struct State {
    var readers: [UInt64: AsyncStream<Element>.Continuation] = [:]
    var next: UInt64 = 0
    var finished = false
    /// What was said before anyone read, for the first reader; nil once there was one.
    var early: [Element]?
  }

  private let state: NIOLockedValueBox<State>
  private let earlyLimit: Int

  /// `early`: how many elements are kept for the first reader before there is one.
  init(early: Int = 0) {
    earlyLimit = early
    state = NIOLockedValueBox(State(early: early > 0 ? [] : nil))
  }

  /// A new stream of what is said from now on; it ends with the fan.
  /// - Parameters:
  ///   - first: is put in front of it.
  ///   - takingEarly: whether it is the first reader, to whom goes what was kept.
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
      // The removed continuation is let go outside the lock: its end may run other code.
      _ = self?.state.withLockedValue { $0.readers.removeValue(forKey: id) }
    }
    return stream
  }

  func say(_ element: Element) {
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
