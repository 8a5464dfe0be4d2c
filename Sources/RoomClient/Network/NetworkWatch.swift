import Foundation
import RoomCLinux

/// Reports that addresses or routes of this machine changed, from the kernel's netlink messages (rtnetlink(7)).
///
/// One thread serves all rooms of the process. The thread starts with the first reader and stays.
final class NetworkWatch: Sendable {
  static let shared = NetworkWatch()

  private let notices = Broadcaster<Void>()
  private let isStarted: Bool

  private init() {
    let socket = linux_network_watch()
    isStarted = socket >= 0
    guard isStarted else { return }
    let thread = Thread { [notices] in
      linux_thread_name("network")
      while linux_network_wait(socket) == 0 { notices.send(()) }
      notices.finish()
    }
    thread.stackSize = 256 << 10
    thread.start()
  }

  /// Returns a stream with an element after one or more changes; it ends at once if the kernel has no netlink, as in some
  /// sandboxes.
  func changes() -> AsyncStream<Void> {
    isStarted ? notices.stream(backlog: 1) : AsyncStream { $0.finish() }
  }
}
