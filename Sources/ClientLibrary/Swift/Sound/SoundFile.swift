import RoomCClient
import RoomSound
import Synchronization

/// A file that a channel of a sound studio plays, and what the app learns of it.
final class SoundFile: Sendable {
  private struct State {
    var current: String
    var next: String?
    var isEnded = false
  }

  private let loops: Bool
  private let state: Mutex<State>
  private let events: AsyncStream<String?>.Continuation
  private let delivery: StreamDelivery?

  /// - Parameter tell: passes the path of a file that begins to the app; nil at the end of the last one.
  init(_ path: String, loops: Bool, on queue: EventQueue?, _ tell: @escaping @Sendable (String?) -> Void) {
    self.loops = loops
    state = Mutex(State(current: path))
    let (stream, events) = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingNewest(64))
    self.events = events
    delivery = queue.map { StreamDelivery(on: $0) }
    delivery?.start(stream) { if let event = $0 { tell(event) } }
    events.yield(path)
  }

  func setNext(_ path: String?) { state.withLock { $0.next = path } }

  /// Returns the file that follows; nil for none.
  func following() -> String? {
    let path: String? = state.withLock { state in
      if let next = state.next { (state.current, state.next) = (next, nil) } else if !loops { return nil }
      return state.current
    }
    if let path { events.yield(path) }
    return path
  }

  /// Reports the end of the last file, once.
  func ended() {
    let isNew = state.withLock { state in
      defer { state.isEnded = true }
      return !state.isEnded
    }
    if isNew { events.yield(nil) }
  }

  /// Ends the callbacks. Waits for one that runs on another thread.
  func close() {
    events.finish()
    delivery?.end()
  }
}
