import Synchronization

/// A body on its way from a connection to the endpoint that reads it, and the endpoint's answer on its way back.
///
/// libmicrohttpd gives bytes on its thread; the endpoint takes them in a task. A connection with enough waiting bytes is suspended
/// until the endpoint has taken them. The connection is suspended and resumed under the lock, so that the library sees both in
/// their order.
final class BodyReception: Sendable {
  /// Bytes that may wait, before the connection is suspended; one part more may come on top.
  static let limit = 256 << 10

  enum Taking: Sendable {
    case taken
    /// The connection is already suspended; the library gives the same bytes again.
    case full
    /// Nobody reads the body any more.
    case discarded
  }

  private enum End: Sendable {
    case complete
    case cut(HTTPBodyCut)
  }

  private struct State {
    var waiting: [UInt8] = []
    var end: End?
    /// The endpoint, which waits for bytes or the end.
    var reader: CheckedContinuation<Void, Never>?
    var answer: HTTPResponse?
    var suspended: SuspendedConnection?

    /// Wakes the endpoint.
    mutating func wake() { reader.take()?.resume() }
  }

  private let state = Mutex(State())
  private let connection: HTTPConnection?

  /// - Parameter connection: its deadline does not count the time for which the endpoint is too slow.
  init(on connection: HTTPConnection?) { self.connection = connection }

  // MARK: The daemon

  /// Gives bytes to the endpoint.
  func take(_ bytes: UnsafeRawBufferPointer, suspend: () -> SuspendedConnection) -> Taking {
    state.withLock { state in
      guard state.end == nil, state.answer == nil else { return .discarded }
      guard state.suspended == nil else { return .full }
      state.waiting.append(contentsOf: bytes)
      connection?.changeDeadline { $0.streamReceived(bytes.count, now: .now) }
      if state.waiting.count >= Self.limit {
        connection?.changeDeadline { $0.streamPaused(now: .now) }
        state.suspended = suspend()
      }
      state.wake()
      return .taken
    }
  }

  /// Called when the request is complete. Returns the answer; without one, suspends the connection until there is one.
  func complete(suspend: () -> SuspendedConnection) -> HTTPResponse? {
    state.withLock { state in
      if state.end == nil { state.end = .complete }
      state.wake()
      if state.answer == nil { state.suspended = suspend() }
      return state.answer
    }
  }

  /// Ends a body that is not complete. A later call has no effect.
  func cut(_ cause: HTTPBodyCut) {
    state.withLock { state in
      guard state.end == nil else { return }
      state.end = .cut(cause)
      state.waiting = []
      state.wake()
      resume(&state)
    }
  }

  /// Sends the answer after the end of the body. Bytes that have not been read are discarded.
  func answer(_ response: HTTPResponse) {
    state.withLock { state in
      state.answer = response
      state.waiting = []
      resume(&state)
    }
  }

  // MARK: The endpoint

  func next() async throws(HTTPBodyCut) -> [UInt8]? {
    while true {
      let (bytes, end) = state.withLock { state in
        let bytes = state.waiting
        state.waiting = []
        // A connection with a complete body waits for the answer.
        if !bytes.isEmpty, state.end == nil { resume(&state) }
        return (bytes, state.end)
      }
      switch end {
      case .cut(let cause): throw cause
      case _ where !bytes.isEmpty: return bytes
      case .complete: return nil
      case nil: await wait()
      }
    }
  }

  private func wait() async {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        guard state.waiting.isEmpty, state.end == nil else { return continuation.resume() }
        state.reader = continuation
      }
    }
  }

  private func resume(_ state: inout State) {
    guard let suspended = state.suspended.take() else { return }
    connection?.changeDeadline { $0.streamContinued(now: .now) }
    suspended.resume()
  }
}
