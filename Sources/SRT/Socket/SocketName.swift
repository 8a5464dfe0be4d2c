import Glibc

/// Numeric addresses as the C library has them.
enum SocketName {
  /// Calls `body` with the address of a numeric host. Returns nil if the host is not numeric.
  static func with<Result>(_ host: String, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, Int32) -> Result) -> Result? {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &list) == 0, let info = list else { return nil }
    defer { freeaddrinfo(list) }
    guard let address = info.pointee.ai_addr else { return nil }
    return body(address, Int32(clamping: info.pointee.ai_addrlen))
  }

  /// Returns the host of an address in numeric form.
  static func host(of address: UnsafePointer<sockaddr>) -> String {
    let length = address.pointee.sa_family == AF_INET6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    guard getnameinfo(address, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else { return "" }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
