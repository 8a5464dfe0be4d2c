import Foundation
import Glibc
import RoomCClient
import RoomCLinux
import Synchronization

/// The callbacks that wait for the app's thread, and the eventfd that announces them.
///
/// The queue is bounded: by one item for each `Delivery`, which waits until it ran, and by the number of unanswered calls.
final class EventQueue: Handle {
  private struct Item: Sendable {
    /// The delivery that the item belongs to; nil for an answer.
    var delivery: ObjectIdentifier?
    var run: @Sendable (EventQueue) -> Void
    var ran: CheckedContinuation<Void, Never>?
  }

  private struct State {
    var items: [Item] = []
    var calls: [UInt64: Completion] = [:]
    var lastCall: UInt64 = 0
    var isClosed = false
    var hasThread = false
  }

  let descriptor = linux_eventfd()
  private let state = Mutex(State())
  /// Locked while a callback runs. Recursive, because a callback may release its own handle.
  private let callbacks = NSRecursiveLock()
  /// The thread that runs a callback; 0 for none.
  private let dispatcher = Atomic<UInt>(0)
  /// Entered by the queue's own thread.
  private let thread = DispatchGroup()

  /// Every connection needs a queue, so the first queue is early enough.
  init() { _ = ProcessSetup.log }

  deinit { Glibc.close(descriptor) }

  // MARK: Filling

  /// Registers a call.
  /// - Throws: `RC_BUSY` at the limit of unanswered calls, `RC_CLOSED` after the end.
  func begin(_ completion: Completion) throws(Refusal) -> UInt64 {
    let (call, refusal): (UInt64, Refusal?) = state.withLock { state in
      if state.isClosed { return (0, Refusal(RC_CLOSED, "the queue is closed")) }
      if state.calls.count >= Int(RC_CALL_LIMIT) { return (0, Refusal(RC_BUSY, "\(RC_CALL_LIMIT) calls are unanswered")) }
      state.lastCall += 1
      state.calls[state.lastCall] = completion
      return (state.lastCall, nil)
    }
    if let refusal { throw refusal }
    return call
  }

  /// Answers a call that `begin` registered.
  func finish(_ call: UInt64, _ answer: Answer) {
    _ = append(Item { queue in queue.state.withLock { $0.calls.removeValue(forKey: call) }?.call(answer) })
  }

  /// Adds a callback, and returns when it ran or was dropped.
  func run(for delivery: ObjectIdentifier, _ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { ran in
      let isAdded = append(Item(delivery: delivery, run: { _ in body() }, ran: ran))
      if !isAdded { ran.resume() }
    }
  }

  private func append(_ item: Item) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      if state.items.isEmpty { linux_eventfd_signal(descriptor) }
      state.items.append(item)
      return true
    }
  }

  /// Drops the callbacks of a delivery. Waits for one that runs on another thread.
  /// - Parameter end: called while no callback runs.
  func discard(_ delivery: ObjectIdentifier, _ end: () -> Void) {
    callbacks.lock()
    defer { callbacks.unlock() }
    end()
    let dropped = state.withLock { state in
      let dropped = state.items.filter { $0.delivery == delivery }
      state.items.removeAll { $0.delivery == delivery }
      if state.items.isEmpty, !state.isClosed { linux_eventfd_drain(descriptor) }
      return dropped
    }
    for item in dropped { item.ran?.resume() }
  }

  // MARK: Dispatching

  /// Runs the callbacks that wait, and first waits for one.
  /// - Parameter timeout: in milliseconds; -1 for no limit.
  /// - Returns: the number of callbacks that ran.
  func dispatch(timeout: Int32) throws(Refusal) -> Int32 {
    guard dispatcher.load(ordering: .relaxed) != Self.thisThread else {
      throw Refusal(RC_BUSY, "a callback cannot dispatch its own queue")
    }
    if timeout != 0 {
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&request, 1, max(-1, timeout))
    }
    let waiting = state.withLock { $0.isClosed ? -1 : $0.items.count }
    guard waiting >= 0 else { throw Refusal(RC_CLOSED, "the queue is closed") }
    var ran: Int32 = 0
    // Callbacks that are added meanwhile wait for the next call, so that this one ends.
    while Int(ran) < waiting, runNext() { ran += 1 }
    return ran
  }

  private func runNext() -> Bool {
    callbacks.lock()
    defer { callbacks.unlock() }
    let next: Item? = state.withLock { state in
      guard !state.items.isEmpty else { return nil }
      let item = state.items.removeFirst()
      if state.items.isEmpty, !state.isClosed { linux_eventfd_drain(descriptor) }
      return item
    }
    guard let next else { return false }
    dispatcher.store(Self.thisThread, ordering: .relaxed)
    next.run(self)
    dispatcher.store(0, ordering: .relaxed)
    next.ran?.resume()
    return true
  }

  private static var thisThread: UInt { UInt(pthread_self()) }

  // MARK: The queue's own thread, and the end

  func startThread() throws(Refusal) {
    let refusal: Refusal? = state.withLock { state in
      if state.isClosed { return Refusal(RC_CLOSED, "the queue is closed") }
      if state.hasThread { return .argument("queue", "has a thread already") }
      state.hasThread = true
      return nil
    }
    if let refusal { throw refusal }
    thread.enter()
    let dispatching = Thread { [self] in
      while (try? dispatch(timeout: -1)) != nil {}
      thread.leave()
    }
    dispatching.name = "roomclient"
    dispatching.start()
  }

  func close() {
    callbacks.lock()
    let (items, calls) = state.withLock { state in
      state.isClosed = true
      defer { (state.items, state.calls) = ([], [:]) }
      // Stays readable, so that every dispatching thread notices the end.
      linux_eventfd_signal(descriptor)
      return (state.items, state.calls)
    }
    for item in items { item.ran?.resume() }
    for call in calls.values { call.call(Answer(status: Int32(RC_CLOSED), message: "the queue is closed")) }
    callbacks.unlock()
    if dispatcher.load(ordering: .relaxed) != Self.thisThread { thread.wait() }
  }
}
