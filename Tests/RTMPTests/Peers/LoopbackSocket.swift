import Glibc

/// A TCP socket on 127.0.0.1 that never blocks, except in `wait` and `connected`.
final class LoopbackSocket {
  let descriptor: CInt

  private init(_ descriptor: CInt) {
    self.descriptor = descriptor
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  deinit { close(descriptor) }

  /// Listens on a free port.
  static func listening() throws -> (LoopbackSocket, port: UInt16) {
    let socket = LoopbackSocket(Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0))
    var address = address(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(socket.descriptor, pointer, length) == 0 && listen(socket.descriptor, 16) == 0
          && getsockname(socket.descriptor, pointer, &length) == 0
      }
    }
    guard isBound else { throw SocketFailure(step: "listen", code: errno) }
    return (socket, UInt16(bigEndian: address.sin_port))
  }

  /// Returns a port that had no listener a moment ago.
  static func freePort() throws -> UInt16 { try listening().port }

  /// Connects, and waits as long as the kernel does.
  static func connected(port: UInt16) throws -> LoopbackSocket {
    let descriptor = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = address(port: port)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    let code = errno
    guard result == 0 else {
      close(descriptor)
      throw SocketFailure(step: "connect", code: code)
    }
    return LoopbackSocket(descriptor)
  }

  private static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }

  func accept() -> LoopbackSocket? {
    let accepted = Glibc.accept(descriptor, nil, nil)
    return accepted >= 0 ? LoopbackSocket(accepted) : nil
  }

  /// Returns the available bytes: empty if there are none, nil at the end.
  func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 { return Array(buffer.prefix(count)) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
  }

  /// Sends as many of the first `bytes` as fit. Returns false at the end.
  func write(_ bytes: inout [UInt8]) -> Bool {
    while !bytes.isEmpty {
      let count = send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
      guard count > 0 else { return errno == EAGAIN || errno == EINTR }
      bytes.removeFirst(count)
    }
    return true
  }

  /// Signals the end to the other side.
  func finish() { shutdown(descriptor, CInt(SHUT_WR)) }

  /// Waits until one of the sockets is readable, or 10 ms.
  static func wait(_ sockets: [LoopbackSocket]) {
    var entries = sockets.map { pollfd(fd: $0.descriptor, events: CShort(POLLIN), revents: 0) }
    _ = poll(&entries, nfds_t(entries.count), 10)
  }
}

struct SocketFailure: Error {
  let step: String
  let code: CInt
}
