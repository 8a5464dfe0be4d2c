import RoomProtocol
import Foundation
import RoomLinux
import Logging
import RoomRTP
import Synchronization

/// Writes the server's changes to the store, in order.
///
/// Each change gets a ticket. An answer that confirms a change waits for its ticket with ``whenWritten(_:_:)`` or
/// ``settled()``. All changes that arrive during a transaction share the next one. If a transaction fails, or takes longer than
/// `maximumWait`, the waiting answers are sent anyway: the change is in effect, its write is retried, and the answer is counted as
/// early.
package final class StoreWriter: Sendable {
  /// Maximum number of pending changes other than room states; the oldest are dropped first.
  private static let maximumOthers = 4096
  /// Minimum interval of log messages about a failing store; microseconds.
  private static let logInterval: Int64 = 1_000_000
  /// Maximum number of waiting answers.
  private static let maximumWaiting = 65_536

  /// Counters for `/metrics`.
  package struct Counters: Sendable {
    package var writes: UInt64 = 0
    package var rooms: UInt64 = 0
    package var bytes: UInt64 = 0
    package var failures: UInt64 = 0
    /// Changes that were dropped while nothing could be written.
    package var lost: UInt64 = 0
    /// Answers that were sent before their change was written.
    package var earlyAnswers: UInt64 = 0
    /// Duration of the slowest write in milliseconds.
    package var slowest: Int64 = 0
  }

  /// - Parameter isWritten: false if the store failed, or took too long.
  package typealias Waiter = @Sendable (_ isWritten: Bool) -> Void

  private struct State {
    var queue = StoreQueue<any StoredSource>(limit: StoreWriter.maximumOthers)
    var pace = StoreSchedule()
    var waiters: [(ticket: StoreTicket, body: Waiter)] = []
    /// The rooms as stored, without members: an unchanged room is not written again.
    var stored: [RoomName: StoredRoom] = [:]
    /// Number of changes being written.
    var writing = 0
    /// Start time of that write.
    var startedAt = Instant(microseconds: 0)
    /// Whether a task checks that no write takes too long.
    var isWatched = false
    /// Whether the current write has exceeded the time that an answer waits.
    var isStuck = false
    var counters = Counters()
    var lastLogged: Instant?
    var alarm: (time: Instant, task: Task<Void, Never>)?
    var isStopped = false
    /// Whether writing has ended for good.
    var isOver = false

    /// Records that a batch is being written.
    mutating func begin(_ batch: StoreQueue<any StoredSource>.Batch, at now: Instant) {
      (writing, startedAt) = (batch.changes.count, now)
    }

    /// Removes and returns the waiters whose tickets are at most this one.
    mutating func takeWaiters(through ticket: StoreTicket) -> [Waiter] {
      let done = waiters.filter { $0.ticket <= ticket }.map(\.body)
      if !done.isEmpty { waiters.removeAll { $0.ticket <= ticket } }
      return done
    }
  }

  private let store: any RoomStore
  private let log: Logger
  private let maximumWait: Duration
  private let state = Mutex(State())
  private let wake: AsyncStream<Void>.Continuation
  private let work: Mutex<Task<Void, Never>?>

  /// - Parameter maximumWait: maximum time that an answer waits for a transaction.
  package init(_ store: any RoomStore, maximumWait: Duration = .seconds(2), log: Logger) {
    self.store = store
    self.maximumWait = maximumWait
    self.log = log
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.wake = wake
    work = Mutex(nil)
    let task = Task { [weak self] in
      for await _ in wakes { await self?.writeWhatIsDue() }
    }
    work.withLock { $0 = task }
  }

  package var counters: Counters {
    state.withLock { state in
      var counters = state.counters
      counters.lost = state.queue.lost
      return counters
    }
  }

  /// The ticket of the latest change.
  package var newest: StoreTicket { state.withLock { $0.queue.last } }

  package var waiting: Int { state.withLock { $0.queue.count + $0.writing } }

  // MARK: Changes

  /// Queues a write of a room that changed. The room's state is read when it is written.
  @discardableResult package func changed(_ room: any StoredSource) -> StoreTicket { add(.room(name: room.name, room)) }

  /// Queues the removal of a room that closed for good.
  @discardableResult package func gone(_ room: RoomName) -> StoreTicket { note(.roomGone(room)) }

  /// Another server has written, or will write, a room: the next change is compared with nothing.
  package func moved(_ room: RoomName) { forget(room) }

  @discardableResult package func note(_ change: StoreChange) -> StoreTicket { add(.other(change)) }

  private func add(_ change: StoreQueue<any StoredSource>.Change) -> StoreTicket {
    let (ticket, isStopped) = state.withLock { state in
      (state.isStopped ? state.queue.last : state.queue.add(change), state.isStopped)
    }
    if !isStopped { wake.yield() }
    return ticket
  }

  // MARK: Answers

  /// Calls `body` once the change is on disk, at once if it already is. Passes false if the write failed or took too long.
  package func whenWritten(_ ticket: StoreTicket, _ body: @escaping Waiter) {
    let isWritten: Bool? = state.withLock { state in
      if ticket <= state.queue.written { return true }
      guard !state.isStuck, !state.isOver, state.waiters.count < Self.maximumWaiting else {
        state.counters.earlyAnswers += 1
        return false
      }
      state.waiters.append((ticket, body))
      return nil
    }
    if let isWritten { return body(isWritten) }
    wake.yield()
  }

  /// Returns once all changes so far are on disk; false if the write failed or took too long.
  @discardableResult package func settled() async -> Bool { await written(newest) }

  /// Returns once a change is on disk; false if the write failed or took too long.
  @discardableResult package func written(_ ticket: StoreTicket) async -> Bool {
    await withCheckedContinuation { continuation in
      whenWritten(ticket) { continuation.resume(returning: $0) }
    }
  }

  // MARK: Writing

  private enum Step {
    case rest
    case wait(Instant)
    case write(StoreQueue<any StoredSource>.Batch)
  }

  private func writeWhatIsDue() async {
    while true {
      switch state.withLock({ Self.nextStep(&$0, now: .now) }) {
      case .rest: return
      case .wait(let time): return setAlarm(for: time)
      case .write(let batch): await write(batch)
      }
    }
  }

  private static func nextStep(_ state: inout State, now: Instant) -> Step {
    if let time = state.pace.next(isAwaited: !state.waiters.isEmpty), time > now, !state.queue.isEmpty { return .wait(time) }
    guard let batch = state.queue.take() else { return .rest }
    state.begin(batch, at: now)
    return .write(batch)
  }

  private func setAlarm(for time: Instant) {
    state.withLock { state in
      if let alarm = state.alarm, alarm.time <= time, alarm.time > .now { return }
      state.alarm?.task.cancel()
      let task = Task { [wake] in
        try? await Task.sleep(for: .microseconds(max(0, time - .now)))
        if !Task.isCancelled { wake.yield() }
      }
      state.alarm = (time, task)
    }
  }

  private func write(_ batch: StoreQueue<any StoredSource>.Batch) async {
    let begin = Instant.now
    watch()
    let (changes, rooms, bytes) = await encoded(batch)
    do {
      try await store.write(changes)
    } catch {
      // The changes that the rooms passed on were not written.
      for case .room(let name, let room) in batch.changes {
        forget(name)
        await room.forgetStored()
      }
      return failed(batch, error)
    }
    let waiters = state.withLock { state in
      state.queue.finish(batch)
      let now = Instant.now
      state.pace.wrote(from: begin, to: now)
      (state.writing, state.isStuck) = (0, false)
      state.counters.writes += 1
      state.counters.rooms += UInt64(rooms)
      state.counters.bytes += UInt64(bytes)
      state.counters.slowest = max(state.counters.slowest, (now - begin) / 1000)
      return state.takeWaiters(through: batch.through)
    }
    for waiter in waiters { waiter(true) }
  }

  /// Reads and encodes the rooms. A room that closes meanwhile has nothing to store; its removal follows.
  private func encoded(_ batch: StoreQueue<any StoredSource>.Batch) async -> (changes: [StoreChange], rooms: Int, bytes: Int) {
    let encoder = JSONEncoder()
    var changes: [StoreChange] = []
    var (rooms, bytes) = (0, 0)
    for change in batch.changes {
      switch change {
      case .other(let change):
        changes.append(change)
        if case .roomGone(let name) = change { forget(name) }
      case .room(let name, let room):
        guard let stored = await room.takeStored() else { continue }
        do {
          let record = try stored.record(encoder, after: state.withLock { $0.stored[name] })
          if record.room != nil { state.withLock { $0.stored[name] = stored.room } }
          changes.append(.room(name: name, record))
          bytes += record.bytes
          rooms += 1
        } catch {
          await room.forgetStored()
          state.withLock { $0.counters.failures += 1 }
          log.error("a room can't be encoded and is not stored", metadata: ["room": "\(name)", "reason": "\(error)"])
        }
      }
    }
    return (changes, rooms, bytes)
  }

  private func forget(_ name: RoomName) { state.withLock { _ = $0.stored.removeValue(forKey: name) } }

  private func failed(_ batch: StoreQueue<any StoredSource>.Batch, _ error: any Error) {
    let now = Instant.now
    let (waiters, isNews) = state.withLock { state in
      state.queue.putBack(batch)
      state.pace.failed(at: now)
      (state.writing, state.isStuck) = (0, false)
      state.counters.failures += 1
      let waiters = state.takeWaiters(through: batch.through)
      state.counters.earlyAnswers += UInt64(waiters.count)
      let isNews = state.lastLogged.map { now - $0 >= Self.logInterval } ?? true
      if isNews { state.lastLogged = now }
      return (waiters, isNews)
    }
    if isNews {
      log.error("changes could not be stored", metadata: ["reason": "\(error)", "changes": "\(batch.changes.count)"])
    }
    for waiter in waiters { waiter(false) }
  }

  /// Checks after `maximumWait` whether the write is still running. One task serves all writes, because most end long before.
  private func watch() {
    let isFirst = state.withLock { state in
      defer { state.isWatched = true }
      return !state.isWatched
    }
    guard isFirst else { return }
    Task { [weak self, maximumWait] in
      var wait = maximumWait
      while (try? await Task.sleep(for: wait)) != nil, let next = self?.timeUntilStuck() { wait = next }
    }
  }

  /// Returns the time until the current write has taken too long; nil if there is none, or it already has.
  private func timeUntilStuck() -> Duration? {
    let left: Duration? = state.withLock { state in
      guard state.writing > 0 else {
        state.isWatched = false
        return nil
      }
      let left = maximumWait - .microseconds(max(0, Instant.now - state.startedAt))
      if left <= .zero { state.isWatched = false }
      return left
    }
    guard let left else { return nil }
    if left > .zero { return left }
    releaseWaiters()
    return nil
  }

  /// Releases the waiting answers when a write takes too long.
  private func releaseWaiters() {
    let waiters: [Waiter]? = state.withLock { state in
      guard state.writing > 0 else { return nil }
      state.isStuck = true
      defer { state.waiters = [] }
      state.counters.earlyAnswers += UInt64(state.waiters.count)
      return state.waiters.map(\.body)
    }
    guard let waiters else { return }
    log.error("the store is slow: answers no longer wait for it", metadata: ["answers": "\(waiters.count)"])
    for waiter in waiters { waiter(false) }
  }

  // MARK: Stopping

  /// Writes the changes so far and stops. Later changes are not written: rooms that close because the server stops are restored
  /// at its next start.
  /// - Parameter closed: rooms that are not restored, because they moved to another server.
  package func stop(closed: [RoomName] = []) async {
    state.withLock { state in
      if !state.isStopped {
        for room in closed { state.queue.add(.other(.roomGone(room))) }
      }
      state.isStopped = true
      state.alarm?.task.cancel()
    }
    wake.finish()
    let task = work.withLock { $0 }
    await task?.value
    let last = state.withLock { state in
      let batch = state.queue.take()
      if let batch { state.begin(batch, at: .now) }
      return batch
    }
    // In a separate task: the caller of `stop` may be cancelled, but the write must not be.
    if let last { await Task { await write(last) }.value }
    let waiters = state.withLock { state in
      state.isOver = true
      defer { state.waiters = [] }
      state.counters.earlyAnswers += UInt64(state.waiters.count)
      return state.waiters.map(\.body)
    }
    for waiter in waiters { waiter(false) }
    await store.close()
  }
}
