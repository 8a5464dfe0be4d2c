import RoomCLinux
import Glibc
import RoomWebRTC

/// A worker's non-blocking TCP socket that listens for ICE clients (RFC 6544 passive candidates).
struct TCPListener: Sendable {
  let descriptor: Int32

  /// Connections that the kernel queues while the worker processes packets.
  private static let backlog: Int32 = 256

  /// Binds to `address`, with the port of the matching UDP socket.
  init(bind address: TransportAddress) throws(MediaPlaneError) {
    var storage = sockaddr_storage()
    let length = address.write(to: &storage)
    descriptor = withUnsafePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { linux_tcp_listen($0, length, Self.backlog) }
    }
    guard descriptor >= 0 else {
      throw .bind(address: "\(address), TCP", reason: String(cString: strerror(errno)))
    }
  }

  /// The result of `accept`.
  enum Accepted {
    case connection(descriptor: Int32, from: TransportAddress)
    /// No connection is waiting.
    case noConnection
    /// The process or the machine has run out of descriptors. Trying again at once would only spin.
    case exhausted
  }

  func accept() -> Accepted {
    var storage = sockaddr_storage()
    while true {
      let descriptor = linux_tcp_accept(self.descriptor, &storage)
      if descriptor >= 0 {
        guard let address = TransportAddress(&storage) else {
          _ = Glibc.close(descriptor)
          continue
        }
        return .connection(descriptor: descriptor, from: address)
      }
      switch errno {
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
      // The connection was reset while it waited.
      case EINTR, ECONNABORTED, EPROTO: continue
      default: return .noConnection
      }
    }
  }

  func close() { _ = Glibc.close(descriptor) }
}
