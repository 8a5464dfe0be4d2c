import Synchronization

/// The callbacks of one handle on a queue: one at a time, and none after `end()`.
final class Delivery: Sendable {
  let queue: EventQueue
  private let isEnded = Atomic(false)

  init(_ queue: EventQueue) { self.queue = queue }

  /// Runs a callback on the app's thread. Returns when it ran, or was dropped because of the end.
  func run(_ body: @escaping @Sendable () -> Void) async {
    guard !isEnded.load(ordering: .relaxed) else { return }
    await queue.run(for: ObjectIdentifier(self)) { [self] in
      // The end may have come in between.
      if !isEnded.load(ordering: .relaxed) { body() }
    }
  }

  /// Ends the callbacks without a wait: one may run meanwhile, but none begins.
  func expire() { isEnded.store(true, ordering: .relaxed) }

  /// Ends the callbacks. Waits for one that runs on another thread.
  func end() { queue.discard(ObjectIdentifier(self)) { isEnded.store(true, ordering: .relaxed) } }
}
