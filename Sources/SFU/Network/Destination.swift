import Glibc
import WebRTC

/// Where a peer's datagrams go: the kernel's form of its address, kept so that no packet has to write it anew.
struct Destination: BitwiseCopyable {
  /// Big enough for `sockaddr_in6`.
  var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  var length: UInt32 = 0
  /// The UDP socket's descriptor; −1 for what goes nowhere.
  var socket: Int32 = -1
  /// The index of a TCP connection in the worker's table; −1 for datagrams.
  var connection: Int32 = -1
  /// Of that index, which is used again when the connection is gone.
  var generation: UInt32 = 0
}

extension Destination {
  /// `socket` is the descriptor of a UDP socket.
  init(_ address: TransportAddress, socket: Int32) {
    self.socket = socket
    var storage = sockaddr_storage()
    length = address.write(to: &storage)
    withUnsafeMutableBytes(of: &bytes) { target in
      withUnsafeBytes(of: &storage) { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<Int(length)])) }
    }
  }
}
