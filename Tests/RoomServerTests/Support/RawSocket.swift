import Glibc
import RoomTestSupport

/// A TCP connection of the kernel alone: this process does not read it, and does not keep unsent data.
///
/// Its source address may be any of 127.0.0.0/8.
final class RawSocket: Sendable {
  private let descriptor: CInt

  /// - Parameters:
  ///   - source: its source address.
  ///   - receiveBuffer: bytes that the kernel keeps for it; nil for its default.
  init(port: UInt16, from source: String = "127.0.0.1", receiveBuffer: CInt? = nil) throws {
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw DidNotHappen(what: "a socket: \(errno)") }
    if var size = receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
    }
    var own = Self.address(source, 0)
    var peer = Self.address("127.0.0.1", port)
    guard Self.with(&own, { bind(descriptor, $0, $1) }) == 0, Self.with(&peer, { connect(descriptor, $0, $1) }) == 0 else {
      let reason = errno
      Glibc.close(descriptor)
      throw DidNotHappen(what: "a connection from \(source): \(reason)")
    }
  }

  deinit { Glibc.close(descriptor) }

  private static func address(_ host: String, _ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    return address
  }

  private static func with(_ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  /// Sends what the kernel accepts at once. Returns the number of bytes, 0 if it accepts none.
  @discardableResult
  func send(_ bytes: some Collection<UInt8>) -> Int {
    let flags = CInt(truncatingIfNeeded: Int(MSG_DONTWAIT) | Int(MSG_NOSIGNAL))
    return max(0, Array(bytes).withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) })
  }

  /// Returns what has arrived, at most a mebibyte.
  func receive() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 1 << 20) { memory, count in
      count = max(0, recv(descriptor, memory.baseAddress, memory.count, CInt(truncatingIfNeeded: Int(MSG_DONTWAIT))))
    }
  }

  /// Whether the other end has closed it, regardless of unread data.
  var isClosed: Bool {
    // POLLRDHUP, which is not in Glibc's module.
    var look = pollfd(fd: descriptor, events: 0x2000, revents: 0)
    return poll(&look, 1, 0) > 0
  }

  /// Whether there is data to read, or the other end has closed it.
  var hasInput: Bool {
    var look = pollfd(fd: descriptor, events: CShort(POLLIN), revents: 0)
    return poll(&look, 1, 0) > 0
  }

  /// Raises this process' limit of sockets to the system's maximum.
  static func allowMany() {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
