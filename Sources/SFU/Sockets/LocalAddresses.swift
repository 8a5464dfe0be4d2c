import Glibc
import WebRTC

/// The machine's own addresses, of which each worker binds a socket each: what answers a client has to leave by the address that
/// the client asked (RFC 8445 §7.2.5.2.1), which a socket bound to all addresses does not promise.
enum LocalAddresses {
  /// More sockets than this a worker does not watch.
  static let limit = 16

  /// What `bind` means: "0.0.0.0" is every IPv4 address of the machine, "::" every address, link-local ones left out. Those that are
  /// `announced` are added where they are the machine's: 127.0.0.2 is, without any interface naming it.
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

  /// The addresses of the interfaces that are up: those that others reach first, loopback last.
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
      // A link-local address means something only with an interface, of which the client's has another number.
      guard let address = TransportAddress(&storage), !address.isLinkLocal, !address.isUnspecified else { continue }
      found.append(address.withPort(0))
    }
    return found.filter { !$0.isLoopback } + found.filter(\.isLoopback)
  }

  /// Whether a socket can be bound to it.
  static func isLocal(_ address: TransportAddress) -> Bool {
    guard let socket = try? UDPSocket(bind: address.withPort(0)) else { return false }
    socket.close()
    return true
  }
}

extension TransportAddress {
  /// 0.0.0.0 or ::.
  var isUnspecified: Bool { isIPv4 ? ipv4 == 0 : high == 0 && low == 0 }

  /// 127.0.0.0/8 or ::1.
  var isLoopback: Bool { isIPv4 ? ipv4 >> 24 == 127 : high == 0 && low == 1 }

  /// 169.254.0.0/16 or fe80::/10.
  var isLinkLocal: Bool { isIPv4 ? ipv4 >> 16 == 0xA9FE : high >> 54 == 0xFE80 >> 6 }

  func withPort(_ port: UInt16) -> TransportAddress {
    var address = self
    address.port = port
    return address
  }
}
