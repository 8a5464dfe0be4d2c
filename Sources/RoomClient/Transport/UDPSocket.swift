import CLinux
import Glibc
import WebRTC

/// A non-blocking UDP socket on a free port of all addresses, IPv6 with IPv4 inside where the machine has it.
struct UDPSocket {
  let descriptor: Int32
  private let isDualStack: Bool

  private static let bufferBytes = 1 << 20

  /// Nil and `errno` where the kernel gives none.
  init?() {
    var storage = sockaddr_storage()
    for (address, mapped) in [(TransportAddress(high: 0, low: 0, port: 0), true), (TransportAddress(ipv4: 0, port: 0), false)] {
      let length = address.write(to: &storage, mapped: mapped)
      let descriptor = withUnsafePointer(to: &storage) { storage in
        storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { linux_udp_socket($0, length, Int32(Self.bufferBytes)) }
      }
      if descriptor >= 0 {
        self.descriptor = descriptor
        isDualStack = mapped
        return
      }
    }
    return nil
  }

  func close() { Glibc.close(descriptor) }

  /// Writes where to send into `datagram`.
  func address(_ datagram: inout linux_datagram, to address: TransportAddress) {
    datagram.address_length = address.write(to: &datagram.address, mapped: isDualStack)
  }

  /// The address from which the machine reaches `remote`, with this socket's port; nil where there is no route.
  ///
  /// Asked of the kernel by connecting a socket of its own, which sends nothing.
  func localAddress(towards remote: TransportAddress) -> TransportAddress? {
    guard let port = Self.name(of: descriptor)?.port else { return nil }
    var storage = sockaddr_storage()
    let length = remote.write(to: &storage)
    let probe = socket(remote.isIPv4 ? AF_INET : AF_INET6, Int32(SOCK_DGRAM.rawValue), 0)
    guard probe >= 0 else { return nil }
    defer { Glibc.close(probe) }
    let connected = withUnsafePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(probe, $0, length) }
    }
    guard connected == 0, var address = Self.name(of: probe) else { return nil }
    address.port = port
    return address
  }

  private static func name(of descriptor: Int32) -> TransportAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0 else { return nil }
    return TransportAddress(&storage)
  }
}
