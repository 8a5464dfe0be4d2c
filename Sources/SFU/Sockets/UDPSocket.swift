import CLinux
import Glibc
import WebRTC

/// A worker's one non-blocking UDP socket.
struct UDPSocket: Sendable {
  let descriptor: Int32
  /// With the port that the kernel chose where 0 was asked for.
  let local: TransportAddress

  /// 4 MB of socket buffer: at 100 Mb/s a third of a second of a worker that is held up.
  private static let bufferBytes: Int32 = 4 << 20

  init(bind address: TransportAddress) throws(MediaPlaneError) {
    var storage = sockaddr_storage()
    let length = address.write(to: &storage)
    let descriptor = withUnsafePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { linux_udp_socket($0, length, Self.bufferBytes) }
    }
    guard descriptor >= 0 else {
      throw .bind(address: address.description, reason: String(cString: strerror(errno)))
    }
    var bound = sockaddr_storage()
    var boundLength = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let named = withUnsafeMutablePointer(to: &bound) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &boundLength) }
    }
    guard named == 0, let local = TransportAddress(&bound) else {
      Glibc.close(descriptor)
      throw .bind(address: address.description, reason: "the socket has no name")
    }
    self.descriptor = descriptor
    self.local = local
  }

  func close() { _ = Glibc.close(descriptor) }
}
