import CLinux
import Glibc

/// The kernel's calls that take datagrams, as a value, so that a test can be a kernel that refuses.
///
/// Both give how many messages were taken, at least one, or −errno where not even the first was.
struct SendingCalls: BitwiseCopyable {
  typealias Call =
    @convention(c) (_ context: UnsafeMutableRawPointer?, Int32, UnsafePointer<linux_datagram>, Int32) -> Int32

  /// Handed to each call.
  var context: UnsafeMutableRawPointer?
  /// Any number of messages, each of one datagram or, with `segment`, of several.
  var batch: Call
  /// The first of the messages alone, as one datagram.
  var single: Call

  static var kernel: SendingCalls {
    SendingCalls(
      context: nil,
      batch: { _, socket, messages, count in
        let taken = linux_send(socket, messages, count)
        return taken > 0 ? taken : -errno
      },
      single: { _, socket, message, _ in linux_send_one(socket, message) == 0 ? 1 : -errno })
  }
}
