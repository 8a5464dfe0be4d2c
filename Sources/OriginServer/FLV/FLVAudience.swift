import RoomHTTPServer
import RoomLiveOrigin
import NIOCore
import Synchronization

/// The viewers of one stream over HTTP-FLV that have received everything so far: their connections are suspended. After a
/// publish they are resumed together, once for all messages of the gathering time.
final class FLVAudience: Sendable {
  private struct State {
    var waiting: [SuspendedConnection] = []
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

  /// Suspends a connection, unless `hasMore` finds media for it. Both run under the lock that resuming takes.
  func wait(_ suspend: () -> SuspendedConnection, unless hasMore: () -> Bool) {
    state.withLock { state in
      guard !state.isOver, !hasMore() else { return }
      state.waiting.append(suspend())
    }
  }

  /// Whether the responses must end.
  var isOver: Bool { state.withLock { $0.isOver } }

  private func resume() {
    state.withLock { state in
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
