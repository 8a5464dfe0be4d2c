import CLinux
import Glibc

/// The way into a worker: many threads post, one takes. The eventfd wakes the worker's epoll.
///
/// Without a bound of its own: what is posted comes from the control plane, which bounds rooms, participants and tracks.
final class Mailbox: Sendable {
  private struct State {
    var commands: [Command] = []
    var isClosed = false
  }

  /// Watched by the worker's epoll.
  let wakeup: Int32
  private let state = Locked(State())

  init() throws(MediaPlaneError) {
    wakeup = linux_eventfd()
    guard wakeup >= 0 else { throw .thread(reason: String(cString: strerror(errno))) }
  }

  deinit { _ = Glibc.close(wakeup) }

  /// False after the worker has ended: the command will not be carried out.
  @discardableResult func post(_ command: Command) -> Bool {
    let (taken, first) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      state.commands.append(command)
      return (true, state.commands.count == 1)
    }
    if first { linux_eventfd_signal(wakeup) }
    return taken
  }

  /// Wakes the worker without a command: something lies in a ring for it.
  func ring() { linux_eventfd_signal(wakeup) }

  /// All commands in their order, and drains the wake-up.
  func take() -> [Command] {
    linux_eventfd_drain(wakeup)
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
