import Glibc

/// A bot's non-blocking outgoing TCP connection, optionally with TLS.
struct TCPSocket {
  let descriptor: Int32
  private let tls: TLSStream?

  enum Received {
    case bytes(Int)
    /// No data is available now.
    case nothing
    /// The server closed the connection, or it failed.
    case closed(String)
  }

  /// Starts to connect. The first receive or send reports whether it succeeded.
  init(host: String, port: UInt16, isSecure: Bool = false) throws(LoadtestError) {
    var address = FreePort.address(try HostAddress.numeric(host), port)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .system("no socket: \(String(cString: strerror(errno)))") }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 || errno == EINPROGRESS else {
      let reason = String(cString: strerror(errno))
      Glibc.close(descriptor)
      throw .server("\(host):\(port) can't be reached: \(reason)")
    }
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    self.descriptor = descriptor
    do { tls = isSecure ? try TLSStream(descriptor, host: host) : nil } catch {
      Glibc.close(descriptor)
      throw error
    }
  }

  func receive(into space: UnsafeMutableRawBufferPointer) -> Received {
    if let tls { return tls.receive(into: space) }
    let count = recv(descriptor, space.baseAddress, space.count, 0)
    if count > 0 { return .bytes(count) }
    if count == 0 { return .closed("the server closed the connection") }
    return errno == EAGAIN || errno == EINTR ? .nothing : .closed(String(cString: strerror(errno)))
  }

  /// Sends as much as the socket accepts and removes it from `bytes`. Returns false if the connection failed.
  func send(_ bytes: inout [UInt8]) -> Bool {
    if let tls { return tls.send(&bytes) }
    while !bytes.isEmpty {
      let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      guard count > 0 else { return errno == EAGAIN || errno == EINTR }
      bytes.removeFirst(count)
    }
    return true
  }

  func close() { Glibc.close(descriptor) }
}
