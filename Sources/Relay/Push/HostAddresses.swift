import Glibc
import NIOCore
import RoomWebRTC

/// The addresses of a host from the system's resolver. They are resolved here and not by the connection, so that the address
/// checked is the address connected to.
enum HostAddresses {
  /// One address in both representations.
  struct Entry: Sendable {
    let transport: TransportAddress
    let socket: SocketAddress
  }

  /// Resolves a host's addresses; empty if there are none. Blocks until the resolver answers.
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
