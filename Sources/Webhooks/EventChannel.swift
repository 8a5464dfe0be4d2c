import RoomProtocol
import NIOConcurrencyHelpers
import NIOCore

/// From the rooms to the writer: takes an event without waiting, and holds a bounded number of them.
package final class EventChannel: WebhookEventSink {
  private struct State {
    var events = CircularBuffer<WebhookEvent>()
    var dropped = 0
    var isClosed = false
  }

  private let capacity: Int
  private let state = NIOLockedValueBox(State())
  private let wake: AsyncStream<Void>.Continuation
  /// One element at least after each event.
  let wakeups: AsyncStream<Void>

  init(capacity: Int = 65_536) {
    self.capacity = max(1, capacity)
    (wakeups, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Events that came too fast for the disk: the oldest were dropped for them, before they had a number.
  var dropped: Int { state.withLockedValue { $0.dropped } }

  package func tell(_ event: WebhookEvent) {
    state.withLockedValue { state in
      guard !state.isClosed else { return }
      if state.events.count >= capacity {
        state.events.removeFirst()
        state.dropped += 1
      }
      state.events.append(event)
    }
    wake.yield()
  }

  /// Wakes the writer for something else.
  func nudge() { wake.yield() }

  /// The oldest events, at most so many.
  func take(_ count: Int) -> [WebhookEvent] {
    state.withLockedValue { state in
      let taken = Array(state.events.prefix(count))
      state.events.removeFirst(taken.count)
      return taken
    }
  }

  /// Takes no more; what is there can still be taken.
  func close() {
    state.withLockedValue { $0.isClosed = true }
    wake.yield()
    wake.finish()
  }
}
