import Glibc
import Synchronization

/// Cached numeric addresses of the hosts that bots connect to.
enum HostAddress {
  private static let known = Mutex<[String: String]>([:])

  /// Returns the first IPv4 address of a name, or the address itself.
  static func numeric(_ host: String) throws(LoadtestError) -> String {
    if let address = known.withLock({ $0[host] }) { return address }
    var hints = addrinfo()
    hints.ai_family = AF_INET
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let result = getaddrinfo(host, nil, &hints, &list)
    defer { freeaddrinfo(list) }
    guard result == 0, let first = list else {
      throw .server("\(host) has no IPv4 address: \(String(cString: gai_strerror(result)))")
    }
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    guard
      getnameinfo(first.pointee.ai_addr, first.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
    else { throw .server("\(host) has no IPv4 address") }
    let address = text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    known.withLock { $0[host] = address }
    return address
  }
}
