import Glibc
public import NIOCore

/// The addresses of a host from the system's resolver. The addresses are resolved here and not by the connection, so that the
/// address checked is the address connected to.
public enum HostAddresses {
  /// Resolves a host's addresses, at most 8; empty if there are none. Blocks until the resolver answers.
  public static func resolve(_ host: String, port: UInt16) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = list
    while let info = next?.pointee, addresses.count < 8 {
      next = info.ai_next
      guard let address = info.ai_addr else { continue }
      let raw = UnsafeRawPointer(address)
      switch info.ai_family {
      case AF_INET: addresses.append(SocketAddress(raw.loadUnaligned(as: sockaddr_in.self)))
      case AF_INET6: addresses.append(SocketAddress(raw.loadUnaligned(as: sockaddr_in6.self)))
      default: continue
      }
    }
    return addresses
  }
}
