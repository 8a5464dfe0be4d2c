import Glibc
package import RoomWebRTC

/// The machine's own addresses; each worker binds one socket to each. A reply must be sent from the address to which the client
/// sent its request (RFC 8445 §7.2.5.2.1). A socket bound to all addresses does not guarantee that.
enum LocalAddresses {
  /// The maximum number of sockets that a worker watches.
  static let limit = 16

  /// Expands `bind`: "0.0.0.0" to every IPv4 address of the machine, "::" to every address, both without link-local ones. Adds
  /// the `announced` addresses that are local: 127.0.0.2 is, although no interface lists it.
  static func expand(_ bind: [TransportAddress], announced: [TransportAddress]) -> [TransportAddress] {
    var found: [TransportAddress] = []
    func add(_ address: TransportAddress) {
      if !found.contains(address), found.count < limit { found.append(address) }
    }
    for address in bind {
      guard address.isUnspecified else {
        add(address)
        continue
      }
      func fits(_ other: TransportAddress) -> Bool { !address.isIPv4 || other.isIPv4 }
      for other in announced where fits(other) && isLocal(other) { add(other) }
      for other in all() where fits(other) && isLocal(other) { add(other) }
    }
    return found
  }

  /// Returns the addresses of the interfaces that are up, loopback last.
  static func all() -> [TransportAddress] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var found: [TransportAddress] = []
    var next = first
    while let entry = next {
      next = entry.pointee.ifa_next
      guard entry.pointee.ifa_flags & UInt32(IFF_UP) != 0, let raw = entry.pointee.ifa_addr else { continue }
      var storage = sockaddr_storage()
      switch Int32(raw.pointee.sa_family) {
      case AF_INET: memcpy(&storage, raw, MemoryLayout<sockaddr_in>.size)
      case AF_INET6: memcpy(&storage, raw, MemoryLayout<sockaddr_in6>.size)
      default: continue
      }
      // A link-local address is valid only with an interface, whose number differs on the client.
      guard let address = TransportAddress(&storage), !address.isLinkLocal, !address.isUnspecified else { continue }
      found.append(address.withPort(0))
    }
    return found.filter { !$0.isLoopback } + found.filter(\.isLoopback)
  }

  /// Returns whether a socket can be bound to the address.
  static func isLocal(_ address: TransportAddress) -> Bool {
    guard let socket = try? UDPSocket(bind: address.withPort(0)) else { return false }
    socket.close()
    return true
  }
}

extension TransportAddress {
  /// Whether the address is 0.0.0.0 or ::.
  var isUnspecified: Bool { isIPv4 ? ipv4 == 0 : high == 0 && low == 0 }

  /// Whether the address is in 127.0.0.0/8, or is ::1.
  package var isLoopback: Bool { isIPv4 ? ipv4 >> 24 == 127 : high == 0 && low == 1 }

  /// Whether the address is in 169.254.0.0/16 or fe80::/10.
  var isLinkLocal: Bool { isIPv4 ? ipv4 >> 16 == 0xA9FE : high >> 54 == 0xFE80 >> 6 }

  func withPort(_ port: UInt16) -> TransportAddress {
    var address = self
    address.port = port
    return address
  }
}
