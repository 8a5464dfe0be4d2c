import RoomCLinux
import Glibc
import RoomWebRTC

/// A non-blocking UDP socket of a worker.
struct UDPSocket: Sendable {
  let descriptor: Int32
  /// The bound address, with the port that the kernel chose if 0 was requested.
  let local: TransportAddress

  /// 4 MB of socket buffer: at 100 Mb/s it covers a stall of a third of a second.
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
      throw .bind(address: address.description, reason: "can't read the socket's address")
    }
    self.descriptor = descriptor
    self.local = local
  }

  func close() { _ = Glibc.close(descriptor) }
}
