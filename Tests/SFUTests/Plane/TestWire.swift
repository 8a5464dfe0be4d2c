import Glibc
import Testing
import RoomWebRTC

/// A client's socket on a loopback address: UDP, or a TCP connection with framed packets.
final class TestWire {
  let descriptor: Int32
  let local: TransportAddress
  let server: TransportAddress
  /// TCP: whether to read input. Unread input fills the kernel's buffers.
  var isReading = true
  /// TCP: maximum bytes per write.
  var bytesPerWrite = Int.max
  /// TCP: whether the other side has closed the connection.
  private(set) var isClosed = false
  /// Whether a packet has been received.
  private(set) var hasHeard = false
  private var stream: [UInt8] = []
  private var unsent: [UInt8] = []

  /// - Parameters:
  ///   - port: The local port; 0 for any.
  ///   - receiveBuffer: TCP: maximum size of the kernel's receive buffer, in bytes.
  ///   - shares: Whether another socket of the same kind has the port. Then that socket must `share` too.
  init(to server: TransportAddress, port: UInt16 = 0, receiveBuffer: Int32? = nil, shares: Bool = false) throws {
    self.server = server
    let type = server.isTCP ? Int32(SOCK_STREAM.rawValue) : Int32(SOCK_DGRAM.rawValue)
    descriptor = Glibc.socket(server.isIPv4 ? AF_INET : AF_INET6, type, 0)
    let loopback = try #require(TransportAddress(host: server.isIPv4 ? "127.0.0.1" : "::1", port: port))
    var yes: Int32 = 1
    if shares { setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, 4) }
    try #require(Self.call(bind, descriptor, loopback) == 0)
    if var bytes = receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, 4) }
    // Nothing here may block, because the tests share a few threads.
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    if server.isTCP || shares {
      try #require(Self.call(Glibc.connect, descriptor, server) == 0 || errno == EINPROGRESS)
    }
    var bound = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let fd = descriptor
    _ = withUnsafeMutablePointer(to: &bound) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(fd, $0, &length) }
    }
    local = try #require(TransportAddress(&bound))
  }

  deinit { close(descriptor) }

  private static func call(
    _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ descriptor: Int32, _ address: TransportAddress
  ) -> Int32 {
    var storage = sockaddr_storage()
    let length = address.write(to: &storage)
    return withUnsafePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { function(descriptor, $0, length) }
    }
  }

  /// UDP: receives packets only from the server, so that another socket may have the same port.
  func share() throws {
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
    try #require(Self.call(Glibc.connect, descriptor, server) == 0)
  }

  /// Ends a TCP connection with a reset.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    var none = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    // Connecting to AF_UNSPEC ends the association, with the reset that SO_LINGER requests.
    _ = Glibc.connect(descriptor, &none, socklen_t(MemoryLayout<sockaddr>.size))
    isClosed = true
  }

  /// Returns the next packet and its source.
  func receive() -> (bytes: [UInt8], source: TransportAddress)? {
    let packet = next()
    if packet != nil { hasHeard = true }
    return packet
  }

  private func next() -> (bytes: [UInt8], source: TransportAddress)? {
    flush()
    guard server.isTCP else { return receiveDatagram() }
    guard isReading else { return nil }
    while true {
      if case .frame(let range) = stream.withUnsafeBytes({ StreamFraming.next(in: $0, at: 0, limit: 65_535) }) {
        let frame = Array(stream[range])
        stream.removeFirst(range.upperBound)
        return (frame, server)
      }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count == 0 || (count < 0 && errno != EAGAIN) { isClosed = true }
      guard count > 0 else { return nil }
      stream += buffer[..<count]
    }
  }

  private func receiveDatagram() -> (bytes: [UInt8], source: TransportAddress)? {
    var buffer = [UInt8](repeating: 0, count: 2048)
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let count = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { recvfrom(descriptor, &buffer, buffer.count, 0, $0, &length) }
    }
    guard count > 0, let source = TransportAddress(&storage) else { return nil }
    return (Array(buffer[..<count]), source)
  }

  func send(_ bytes: [UInt8], to address: TransportAddress? = nil) {
    guard !server.isTCP else {
      let header = StreamFraming.header(length: bytes.count)
      return sendRaw([header.0, header.1] + bytes)
    }
    var storage = sockaddr_storage()
    let length = (address ?? server).write(to: &storage)
    _ = withUnsafePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { sendto(descriptor, bytes, bytes.count, 0, $0, length) }
    }
  }

  /// TCP: sends bytes without framing.
  func sendRaw(_ bytes: [UInt8]) {
    unsent += bytes
    flush()
  }

  private func flush() {
    while !unsent.isEmpty {
      let sent = Glibc.send(descriptor, unsent, min(unsent.count, bytesPerWrite), Int32(MSG_NOSIGNAL))
      guard sent > 0 else { return }
      unsent.removeFirst(sent)
    }
  }
}
