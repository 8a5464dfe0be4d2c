import RoomCLinux
import Glibc

/// Wakes a thread that waits in epoll, by an eventfd.
final class Wakeup: Sendable {
  /// Readable between `signal` and `drain`.
  let descriptor: Int32
  /// Owns the descriptor; nil if this does.
  private let owner: (any AnyObject & Sendable)?

  init() throws(MediaPlaneError) {
    descriptor = linux_eventfd()
    owner = nil
    guard descriptor >= 0 else { throw .thread(reason: String(cString: strerror(errno))) }
  }

  /// Wakes a thread of another module, whose descriptor is valid as long as `owner`.
  init(_ descriptor: Int32, of owner: any AnyObject & Sendable) {
    self.descriptor = descriptor
    self.owner = owner
  }

  deinit { if owner == nil { _ = Glibc.close(descriptor) } }

  /// Wakes the thread. Any thread may call it; several signals before a `drain` count as one.
  func signal() { linux_eventfd_signal(descriptor) }

  func drain() { linux_eventfd_drain(descriptor) }
}
