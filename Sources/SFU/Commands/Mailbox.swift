/// The way into a worker: many threads post, one takes. The eventfd wakes the worker's epoll.
///
/// Without a bound of its own: what is posted comes from the control plane, which bounds rooms, participants and tracks.
final class Mailbox: Sendable {
  private struct State {
    var commands: [Command] = []
    var isClosed = false
  }

  /// Watched by the worker's epoll.
  let wakeup: Wakeup
  private let state = Locked(State())

  init() throws(MediaPlaneError) { wakeup = try Wakeup() }

  /// False after the worker has ended: the command will not be carried out.
  @discardableResult func post(_ command: Command) -> Bool {
    let (taken, first) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      state.commands.append(command)
      return (true, state.commands.count == 1)
    }
    if first { wakeup.signal() }
    return taken
  }

  /// All commands in their order, and drains the wake-up.
  func take() -> [Command] {
    wakeup.drain()
    return state.withLock { state in
      let commands = state.commands
      state.commands = []
      return commands
    }
  }

  /// Takes what is left and lets nothing more in.
  func shut() -> [Command] {
    state.withLock { state in
      state.isClosed = true
      let commands = state.commands
      state.commands = []
      return commands
    }
  }
}
