import RoomCLinux
import Glibc
import Synchronization

/// What other threads ask of the port's thread.
enum LinkCommand: Sendable {
  case open(OpenLink, NodeAddress, LinkKeys, LinkOptions, @Sendable (LinkEvent) -> Void)
  case close(OpenLink)
  case send(any LinkSource, stream: UInt32, OpenLink)
  case stopSending(stream: UInt32, OpenLink)
  case receive(any LinkSink, stream: UInt32, OpenLink)
  case stopReceiving(stream: UInt32, OpenLink)
  case stop
}

/// The commands that wait for the port's thread, and the eventfd that wakes it. Unbounded, because the control plane, which limits
/// nodes and tracks, posts all commands.
final class LinkMailbox: Sendable {
  private struct State {
    var commands: [LinkCommand] = []
    var isClosed = false
  }

  let wakeDescriptor: Int32
  private let state = Mutex(State())

  init() throws(LinkError) {
    wakeDescriptor = linux_eventfd()
    guard wakeDescriptor >= 0 else { throw .system(call: "eventfd", code: errno) }
  }

  deinit { _ = close(wakeDescriptor) }

  /// Posts a command. Returns false if the thread has ended.
  @discardableResult func post(_ command: LinkCommand) -> Bool {
    let isPosted = state.withLock { state in
      if !state.isClosed { state.commands.append(command) }
      return !state.isClosed
    }
    if isPosted { wake() }
    return isPosted
  }

  func wake() { linux_eventfd_signal(wakeDescriptor) }

  /// Removes and returns all commands in order.
  func take() -> [LinkCommand] {
    linux_eventfd_drain(wakeDescriptor)
    return state.withLock { state in
      let commands = state.commands
      state.commands = []
      return commands
    }
  }

  func end() {
    state.withLock { $0 = State(isClosed: true) }
  }
}
