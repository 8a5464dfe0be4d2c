import RoomHTTPServer
import RoomLiveOrigin
import NIOCore
import Synchronization

/// The viewers of one stream over HTTP-FLV that have received everything so far: their connections are suspended. After a
/// publish they are resumed together, once for all messages of the gathering time.
final class FLVAudience: Sendable {
  private struct State {
    var waiting: [SuspendedConnection] = []
    /// Wakeups so far.
    var wakeups = 0
    var isOver = false
    var watch: Origin.Watch?
  }

  private let state = Mutex(State())

  init(_ origin: Origin, _ path: StreamPath) {
    let flag = WakeFlag()
    let loop = origin.group.next()
    let gather = TimeAmount(origin.settings.gather)
    let watch = origin.watch(path) { [weak self] in
      guard flag.raise() else { return }
      loop.scheduleTask(in: gather) { [weak self] in
        flag.lower()
        self?.resume()
      }
    }
    state.withLock { $0.watch = watch }
  }

  /// Suspends a connection until the next wakeup. A message that has arrived since the last one causes another.
  /// - Parameter wakeups: the wakeups before the viewer received everything.
  /// - Returns: false if there was a wakeup since, or the responses must end: the connection is not suspended.
  func wait(since wakeups: Int, _ suspend: () -> SuspendedConnection) -> Bool {
    state.withLock { state in
      guard !state.isOver, state.wakeups == wakeups else { return false }
      // Under the lock that resuming takes.
      state.waiting.append(suspend())
      return true
    }
  }

  /// The number of wakeups so far; nil if the responses must end.
  var wakeups: Int? { state.withLock { $0.isOver ? nil : $0.wakeups } }

  private func resume() {
    state.withLock { state in
      state.wakeups += 1
      for connection in state.waiting { connection.resume() }
      state.waiting.removeAll(keepingCapacity: true)
    }
  }

  /// Ends all responses.
  func end() {
    let watch = state.withLock { state in
      state.isOver = true
      return state.watch.take()
    }
    _ = watch
    resume()
  }
}
