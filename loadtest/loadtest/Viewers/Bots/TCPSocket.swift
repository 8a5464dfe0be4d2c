import Glibc

/// A non-blocking TCP connection that a bot made, with TLS over it or none.
struct TCPSocket {
  let descriptor: Int32
  private let tls: TLSStream?

  enum Received {
    case bytes(Int)
    /// Nothing is there now.
    case nothing
    /// The server closed it, or it broke.
    case closed(String)
  }

  /// Begins to connect; what comes of it is told by the first bytes that are received or sent.
  init(host: String, port: UInt16, isSecure: Bool = false) throws(FanoutError) {
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

  /// Sends what there is room for and takes it from the front; false where the connection is broken.
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
