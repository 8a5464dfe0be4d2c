import RoomCLinux
import Glibc
import RoomRTP

/// The calls with which a forwarder sends, and the clock that measures them. Injectable, so that a test can simulate a kernel
/// that refuses, or a network in virtual time. C functions, because they need no reference counting.
///
/// `batch` and `single` return the number of messages sent, at least one, or −errno if not even the first was sent.
struct SendingCalls: BitwiseCopyable {
  typealias Call =
    @convention(c) (_ context: UnsafeMutableRawPointer?, Int32, UnsafePointer<linux_datagram>, Int32) -> Int32
  typealias StreamCall =
    @convention(c) (_ context: UnsafeMutableRawPointer?, Int32, UnsafeRawPointer, Int) -> Int

  /// Passed to each call.
  var context: UnsafeMutableRawPointer?
  /// Sends any number of messages, each of one datagram or, with `segment`, of several.
  var batch: Call
  /// Sends only the first message, as one datagram.
  var single: Call
  /// Writes bytes to a connection: returns the number written, or −errno.
  var stream: StreamCall = { _, _, _, _ in -Int(EBADF) }
  /// Wakes another worker by its eventfd, to read the links that lead to it.
  var wake: @convention(c) (_ context: UnsafeMutableRawPointer?, Int32) -> Void = { _, descriptor in
    linux_eventfd_signal(descriptor)
  }
  /// The monotonic clock in microseconds.
  var clock: @convention(c) (_ context: UnsafeMutableRawPointer?) -> Int64 = { _ in linux_now_us() }

  @inline(__always) var now: Instant { Instant(microseconds: clock(context)) }

  static var kernel: SendingCalls {
    SendingCalls(
      context: nil,
      batch: { _, socket, messages, count in
        let taken = linux_send(socket, messages, count)
        return taken > 0 ? taken : -errno
      },
      single: { _, socket, message, _ in linux_send_one(socket, message) == 0 ? 1 : -errno },
      stream: { _, socket, bytes, count in
        let taken = send(socket, bytes, count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        return taken > 0 ? taken : -Int(errno)
      })
  }
}
