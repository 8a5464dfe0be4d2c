import Synchronization

/// Delivers the elements of a stream to the app, one at a time. What the app does not take in time waits in the stream, which is
/// bounded.
final class StreamDelivery: Sendable {
  private let delivery: Delivery
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(on queue: EventQueue) { delivery = Delivery(queue) }

  /// Passes each element to `send`, and nil at the end of the stream.
  func start<Element: Sendable>(_ elements: AsyncStream<Element>, _ send: @escaping @Sendable (Element?) -> Void) {
    // Under the lock: the first callback may end the delivery at once.
    task.withLock { task in
      task = Task { [delivery] in
        for await element in elements { await delivery.run { send(element) } }
        if !Task.isCancelled { await delivery.run { send(nil) } }
      }
    }
  }

  /// Ends the callbacks. Waits for one that runs on another thread.
  func end() {
    task.withLock { $0?.cancel() }
    delivery.end()
  }
}
