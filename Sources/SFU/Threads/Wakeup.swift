import RoomCLinux
import Glibc

/// Wakes a thread that waits in epoll, by an eventfd.
final class Wakeup: Sendable {
  /// Readable between `signal` and `drain`.
  let descriptor: Int32

  init() throws(MediaPlaneError) {
    descriptor = linux_eventfd()
    guard descriptor >= 0 else { throw .thread(reason: String(cString: strerror(errno))) }
  }

  deinit { _ = Glibc.close(descriptor) }

  /// Wakes the thread. Any thread may call it; several signals before a `drain` count as one.
  func signal() { linux_eventfd_signal(descriptor) }

  func drain() { linux_eventfd_drain(descriptor) }
}
