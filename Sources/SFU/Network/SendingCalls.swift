import CLinux
import Glibc
import RTP

/// The calls by which a forwarder sends, and the clock that says how long they took: as a value, so that a test can be a kernel that
/// refuses, or a network in virtual time. C functions, which cost no reference count.
///
/// `batch` and `single` return how many messages were taken, at least one, or −errno if not even the first was.
struct SendingCalls: BitwiseCopyable {
  typealias Call =
    @convention(c) (_ context: UnsafeMutableRawPointer?, Int32, UnsafePointer<linux_datagram>, Int32) -> Int32
  typealias StreamCall =
    @convention(c) (_ context: UnsafeMutableRawPointer?, Int32, UnsafeRawPointer, Int) -> Int

  /// Passed to each call.
  var context: UnsafeMutableRawPointer?
  /// Any number of messages, each of one datagram or, with `segment`, of several.
  var batch: Call
  /// The first of the messages alone, as one datagram.
  var single: Call
  /// Bytes of a connection: how many were taken, or −errno.
  var stream: StreamCall = { _, _, _, _ in -Int(EBADF) }
  /// The monotonic clock, microseconds.
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
