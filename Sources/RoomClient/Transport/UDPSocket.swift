import RoomCLinux
import Glibc
import RoomWebRTC

/// A non-blocking UDP socket on a free port of all addresses: dual-stack IPv6 if available.
package struct UDPSocket {
  package let descriptor: Int32
  private let isDualStack: Bool

  private static let bufferBytes = 1 << 20

  /// Returns nil and sets `errno` if the kernel provides none.
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

  /// Writes the destination into `datagram`.
  package func address(_ datagram: inout linux_datagram, to address: TransportAddress) {
    datagram.address_length = address.write(to: &datagram.address, mapped: isDualStack)
  }
}
