import RoomCLinux
import Glibc
import Synchronization

/// A non-blocking UDP socket on a free port of 127.0.0.1, or on a given port of another loopback address. It is closed by
/// `close()` or with its last reference.
final class LoopbackSocket: Sendable {
  let descriptor: Int32
  let port: UInt16
  private let closed = Atomic(false)

  init(host: UInt32 = 0x7F00_0001, port: UInt16 = 0) throws(LossyLink.SocketError) {
    var address = Self.address(port: port)
    address.sin_addr.s_addr = host.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let opened = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { linux_udp_socket($0, length, 4 << 20) }
    }
    guard opened >= 0 else { throw LossyLink.SocketError(errno: errno) }
    let named = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(opened, $0, &length) }
    }
    guard named == 0 else {
      let cause = errno
      Glibc.close(opened)
      throw LossyLink.SocketError(errno: cause)
    }
    descriptor = opened
    self.port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close() }

  /// Closes the socket. Nothing may be sent or received afterwards.
  func close() {
    if !closed.exchange(true, ordering: .relaxed) { Glibc.close(descriptor) }
  }

  /// Sends a packet. A full socket buffer or a closed port loses it, as on a network.
  func send(_ bytes: [UInt8], to address: sockaddr_in) {
    var address = address
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(
          descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT), $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// Returns the next datagram and its sender, or nil if none is queued.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> (bytes: [UInt8], from: sockaddr_in)? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let received = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        recvfrom(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT), $0, &length)
      }
    }
    guard received >= 0 else { return nil }
    return ([UInt8](buffer.prefix(received)), address)
  }

  /// 127.0.0.1 with `port`.
  static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
