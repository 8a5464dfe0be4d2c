import RoomProtocol
import NIOCore
import Synchronization

/// A bounded queue of events from the rooms to a writer. Accepts an event without waiting.
package final class EventChannel<Event: Sendable>: Sendable {
  private struct State {
    var events = CircularBuffer<Event>()
    var dropped = 0
    var accepted: UInt64 = 0
    var completed: UInt64 = 0
    var isClosed = false
  }

  private let capacity: Int
  private let state = Mutex(State())
  private let wake: AsyncStream<Void>.Continuation
  /// Yields at least one element after each event.
  package let wakeups: AsyncStream<Void>

  package init(capacity: Int = 65_536) {
    self.capacity = max(1, capacity)
    (wakeups, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Events dropped because the disk was too slow. The oldest are dropped, before they are numbered.
  package var dropped: Int { state.withLock { $0.dropped } }

  /// Events accepted so far.
  var accepted: UInt64 { state.withLock { $0.accepted } }
  /// Events that are stored, lost or dropped.
  var completed: UInt64 { state.withLock { $0.completed } }

  /// The writer is done with events that it took.
  func complete(_ count: Int) { state.withLock { $0.completed &+= UInt64(count) } }

  package func tell(_ event: Event) {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.accepted &+= 1
      if state.events.count >= capacity {
        state.events.removeFirst()
        state.dropped += 1
        state.completed &+= 1
      }
      state.events.append(event)
    }
    wake.yield()
  }

  /// Wakes the writer for another reason.
  func wakeUp() { wake.yield() }

  /// Removes and returns the oldest events, at most `count`.
  package func take(_ count: Int) -> [Event] {
    state.withLock { state in
      let taken = Array(state.events.prefix(count))
      state.events.removeFirst(taken.count)
      return taken
    }
  }

  /// Rejects further events; queued ones can still be taken.
  package func close() {
    state.withLock { $0.isClosed = true }
    wake.yield()
    wake.finish()
  }
}
