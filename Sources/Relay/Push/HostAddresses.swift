import Glibc
import NIOCore
import WebRTC

/// The addresses of a host, as the system's resolver gives them. Resolved here and not by the connection, so that what is connected to
/// is what was checked.
enum HostAddresses {
  /// One address in both of its forms.
  struct Entry: Sendable {
    let transport: TransportAddress
    let socket: SocketAddress
  }

  /// Blocks until the resolver answers; empty where there is no address.
  static func resolve(_ host: String, port: UInt16) -> [Entry] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var entries: [Entry] = []
    var next = list
    while let info = next?.pointee, entries.count < 8 {
      next = info.ai_next
      guard let address = info.ai_addr else { continue }
      var storage = sockaddr_storage()
      withUnsafeMutableBytes(of: &storage) {
        $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: min(Int(info.ai_addrlen), $0.count)))
      }
      guard let transport = TransportAddress(&storage) else { continue }
      guard let socket = try? SocketAddress(ipAddress: transport.host, port: Int(port)) else { continue }
      entries.append(Entry(transport: transport, socket: socket))
    }
    return entries
  }
}
