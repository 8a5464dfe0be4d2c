import Glibc
import RoomWebRTC

/// The destination of a peer's datagrams: its address in the kernel's form, cached so that packets don't rebuild it.
struct Destination: BitwiseCopyable {
  /// Large enough for `sockaddr_in6`.
  var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  var length: UInt32 = 0
  /// The UDP socket's descriptor; −1 if there is no destination.
  var socket: Int32 = -1
  /// The index of a TCP connection in the worker's table; −1 for datagrams.
  var connection: Int32 = -1
  /// The generation of `connection`, because indices are reused.
  var generation: UInt32 = 0
}

extension Destination {
  /// Creates the destination for `address`; `socket` is the descriptor of a UDP socket.
  init(_ address: TransportAddress, socket: Int32) {
    self.socket = socket
    var storage = sockaddr_storage()
    length = address.write(to: &storage)
    withUnsafeMutableBytes(of: &bytes) { target in
      withUnsafeBytes(of: &storage) { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<Int(length)])) }
    }
  }
}
