import CLinux
import Glibc
import WebRTC

/// A non-blocking UDP socket on a free port of all addresses, IPv6 with IPv4 inside where the machine has it.
package struct UDPSocket {
  package let descriptor: Int32
  private let isDualStack: Bool

  private static let bufferBytes = 1 << 20

  /// Nil and `errno` where the kernel gives none.
  package init?() {
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

  package func close() { Glibc.close(descriptor) }

  /// Writes where to send into `datagram`.
  package func address(_ datagram: inout linux_datagram, to address: TransportAddress) {
    datagram.address_length = address.write(to: &datagram.address, mapped: isDualStack)
  }
}
