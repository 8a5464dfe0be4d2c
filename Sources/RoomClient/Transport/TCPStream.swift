import Glibc
import RoomWebRTC

/// A non-blocking connection to a passive TCP candidate of the server (RFC 6544), with packets in frames (RFC 4571).
final class TCPStream {
  let descriptor: Int32
  private var isConnecting = true
  private var unsent: [UInt8] = []
  private var received: [UInt8] = []
  /// Whether data waits for the kernel's send buffer.
  var awaitsRoom: Bool { isConnecting || !unsent.isEmpty }

  /// The largest send queue in bytes. Further packets are lost, as on any network, and congestion control reacts.
  private static let queueLimit = 256 << 10
  /// The largest accepted packet in bytes; the server sends smaller ones.
  private static let longestFrame = 4096

  /// Starts to connect. Returns nil and sets `errno` if that fails at once.
  init?(to address: TransportAddress) {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = socket(address.isIPv4 ? AF_INET : AF_INET6, type, 0)
    guard descriptor >= 0 else { return nil }
    var yes: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    var storage = sockaddr_storage()
    let length = address.write(to: &storage)
    let descriptor = descriptor
    let result = withUnsafePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
    }
    guard result == 0 || errno == EINPROGRESS else {
      let cause = errno
      Glibc.close(descriptor)
      errno = cause
      return nil
    }
  }

  func close() { Glibc.close(descriptor) }

  func queue(_ packet: [UInt8]) {
    guard unsent.count + packet.count + StreamFraming.headerLength <= Self.queueLimit,
      packet.count <= StreamFraming.longestFrame
    else { return }
    let header = StreamFraming.header(length: packet.count)
    unsent.append(header.0)
    unsent.append(header.1)
    unsent += packet
  }

  /// Sends as much as the kernel accepts. Returns false if the connection has ended.
  func flush() -> Bool {
    if isConnecting {
      var cause: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      var peer = sockaddr_storage()
      var peerLength = socklen_t(MemoryLayout<sockaddr_storage>.size)
      guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &cause, &length) == 0, cause == 0 else { return false }
      let descriptor = descriptor
      let named = withUnsafeMutablePointer(to: &peer) { peer in
        peer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &peerLength) }
      }
      guard named == 0 else { return errno == ENOTCONN }
      isConnecting = false
    }
    var sent = 0
    defer { unsent.removeFirst(sent) }
    while sent < unsent.count {
      let taken = unsent.withUnsafeBytes { bytes in
        send(descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      }
      if taken > 0 {
        sent += taken
      } else if errno != EINTR {
        return errno == EAGAIN
      }
    }
    return true
  }

  /// Reads once and passes on each packet. Returns false if the connection has ended.
  func read(into slab: UnsafeMutableRawBufferPointer, _ packet: (UnsafeMutableRawBufferPointer) -> Void) -> Bool {
    let count = recv(descriptor, slab.baseAddress, slab.count, Int32(MSG_DONTWAIT))
    guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOTCONN) }
    received += slab[..<count]
    var offset = 0
    defer { received.removeFirst(offset) }
    while true {
      switch received.withUnsafeBytes({ StreamFraming.next(in: $0, at: offset, limit: Self.longestFrame) }) {
      case .frame(let range):
        offset = range.upperBound
        guard !range.isEmpty else { continue }
        var frame = Array(received[range])
        frame.withUnsafeMutableBytes(packet)
      case .incomplete: return true
      case .tooLong: return false
      }
    }
  }
}
