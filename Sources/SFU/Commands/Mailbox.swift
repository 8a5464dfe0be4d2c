import Synchronization

/// The command queue of a worker: many threads post, one takes. The eventfd wakes the worker's epoll.
///
/// Unbounded, because all commands come from the control plane, which limits rooms, participants and tracks. Messages of clients
/// are bounded by the allowances of their senders (`DataShare`).
final class Mailbox: Sendable {
  private struct State {
    var commands: [Command] = []
    var isClosed = false
  }

  /// Watched by the worker's epoll.
  let wakeup: Wakeup
  /// Whether commands wait; readable without a lock.
  private let hasCommands = Atomic<Bool>(false)
  private let state = Locked(State())

  init() throws(MediaPlaneError) { wakeup = try Wakeup() }

  /// Posts a command. Returns false after the worker has ended: the command will not be executed.
  @discardableResult func post(_ command: Command) -> Bool {
    let (taken, first) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      state.commands.append(command)
      hasCommands.store(true, ordering: .releasing)
      return (true, state.commands.count == 1)
    }
    if first { wakeup.signal() }
    return taken
  }

  /// Whether `take` would return commands. Costs one load.
  @inline(__always) var isEmpty: Bool { !hasCommands.load(ordering: .acquiring) }

  /// Removes and returns all commands in order, and drains the wake-up.
  func take() -> [Command] {
    wakeup.drain()
    return state.withLock { state in
      hasCommands.store(false, ordering: .relaxed)
      let commands = state.commands
      state.commands = []
      return commands
    }
  }

  /// Closes the mailbox and returns the remaining commands.
  func close() -> [Command] {
    state.withLock { state in
      state.isClosed = true
      let commands = state.commands
      state.commands = []
      return commands
    }
  }
}
