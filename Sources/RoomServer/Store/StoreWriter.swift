import Foundation
import Logging
import NIOConcurrencyHelpers

/// Brings the store up to what the rooms are now, a moment after they changed: many changes of a room within that moment are
/// written once, and writing takes a small part of the time.
final class StoreWriter: Sendable {
  /// Between two writings at least.
  private static let pause = Duration.milliseconds(40)
  /// After a writing that failed.
  private static let pauseAfterFailure = Duration.seconds(1)
  /// The pause is at least so many times what the last writing took.
  private static let idleShare = 4
  /// Changes beside those of rooms that wait while nothing can be written; the oldest go first.
  private static let mostOthers = 4096

  /// What `/metrics` tells.
  struct Counters: Sendable {
    var writes: UInt64 = 0
    var rooms: UInt64 = 0
    var bytes: UInt64 = 0
    var failures: UInt64 = 0
    /// Changes that were given up while nothing could be written.
    var lost: UInt64 = 0
    /// Milliseconds.
    var slowest: Int64 = 0
  }

  private enum Dirty: Sendable {
    case changed(Room)
    case gone
  }

  private struct State {
    /// By the names of the rooms, of which there are so many as the server takes.
    var rooms: [String: Dirty] = [:]
    /// In order, behind the rooms. As bounded as what they tell of.
    var others: [StoreChange] = []
    /// Of both, what is being written now.
    var writing = 0
    var counters = Counters()
    var isStopped = false

    mutating func limit() {
      guard others.count > StoreWriter.mostOthers else { return }
      counters.lost += UInt64(others.count - StoreWriter.mostOthers)
      others.removeFirst(others.count - StoreWriter.mostOthers)
    }
  }

  private let store: any RoomStore
  private let log: Logger
  private let state = NIOLockedValueBox(State())
  private let wake: AsyncStream<Void>.Continuation
  private let work: NIOLockedValueBox<Task<Void, Never>?>

  init(_ store: any RoomStore, log: Logger) {
    self.store = store
    self.log = log
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.wake = wake
    work = NIOLockedValueBox(nil)
    let task = Task { [weak self] in
      for await _ in wakes {
        guard let pause = await self?.writeOut() else { return }
        try? await Task.sleep(for: pause)
      }
    }
    work.withLockedValue { $0 = task }
  }

  var counters: Counters { state.withLockedValue { $0.counters } }
  var waiting: Int { state.withLockedValue { $0.rooms.count + $0.others.count + $0.writing } }

  /// The room is not as it was written any more.
  func changed(_ room: Room) { note { $0.rooms[room.name] = .changed(room) } }

  /// The room is closed and does not come back.
  func gone(_ room: String) { note { $0.rooms[room] = .gone } }

  func note(_ change: StoreChange) {
    note { state in
      state.others.append(change)
      state.limit()
    }
  }

  private func note(_ change: (inout State) -> Void) {
    let isStopped = state.withLockedValue { state in
      if !state.isStopped { change(&state) }
      return state.isStopped
    }
    if !isStopped { wake.yield() }
  }

  /// Writes what waits; gives how long to wait before the next time.
  private func writeOut() async -> Duration {
    let (rooms, others) = state.withLockedValue { state in
      defer { (state.rooms, state.others) = ([:], []) }
      state.writing = state.rooms.count + state.others.count
      return (state.rooms, state.others)
    }
    guard !rooms.isEmpty || !others.isEmpty else { return Self.pause }
    let begin = ContinuousClock.now
    let encoder = JSONEncoder()
    var changes: [StoreChange] = []
    var (bytes, written) = (0, 0)
    for (name, dirty) in rooms {
      switch dirty {
      case .gone: changes.append(.roomGone(name))
      case .changed(let room):
        guard let stored = await room.stored, let value = try? encoder.encode(stored) else { continue }
        changes.append(.room(name: name, value))
        bytes += value.count
        written += 1
      }
    }
    changes += others
    do {
      // In a task of its own, for `stop` ends the waiting for the next time and not what is being written.
      try await Task { [store, changes] in try await store.write(changes) }.value
    } catch {
      log.error("rooms could not be stored", metadata: ["reason": "\(error)", "changes": "\(changes.count)"])
      state.withLockedValue { state in
        state.writing = 0
        state.counters.failures += 1
        // What came meanwhile is newer.
        state.rooms.merge(rooms) { newer, _ in newer }
        state.others = others + state.others
        state.limit()
      }
      wake.yield()
      return Self.pauseAfterFailure
    }
    let time = ContinuousClock.now - begin
    state.withLockedValue { state in
      state.writing = 0
      state.counters.writes += 1
      state.counters.rooms += UInt64(written)
      state.counters.bytes += UInt64(bytes)
      state.counters.slowest = max(state.counters.slowest, time.milliseconds)
    }
    return max(Self.pause, time * Self.idleShare)
  }

  /// Writes what has changed so far. What changes from now on is not written: the rooms that are closed because the server ends are
  /// there at its next start.
  func stop() async {
    state.withLockedValue { $0.isStopped = true }
    wake.finish()
    let task = work.withLockedValue { $0 }
    task?.cancel()
    await task?.value
    _ = await writeOut()
    await store.close()
  }
}
