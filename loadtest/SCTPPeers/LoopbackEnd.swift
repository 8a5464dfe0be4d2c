import Glibc

/// A UDP socket of 127.0.0.1 that is connected to another one. Its calls do not block.
final class LoopbackEnd {
  let descriptor: CInt

  /// - Throws: ``AssociationSocket/Failure``.
  init(local: UInt16, remote: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    var size: CInt = 4 << 20
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    for (port, name, call) in [(local, "bind", Glibc.bind), (remote, "connect", Glibc.connect)] {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard result == 0 else { throw AssociationSocket.Failure(step: name, code: errno) }
    }
  }

  deinit { close(descriptor) }
}
