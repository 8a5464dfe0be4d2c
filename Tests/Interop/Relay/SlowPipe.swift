import Foundation
import Glibc
import RoomPeers
import Synchronization

/// A TCP relay of one connection that reads the client's data only at a limited rate, like a slow uplink.
final class SlowPipe: Sendable {
  let port: UInt16
  private let isOver = Mutex(false)
  private let count = Mutex(0)
  private let rate: Mutex<Int>

  /// Bytes forwarded from the client to the server.
  var bytes: Int { count.withLock { $0 } }

  /// - Parameter rate: bytes per second from the client to the server; the opposite direction is not limited.
  init(to server: UInt16, rate: Int) throws {
    self.rate = Mutex(rate)
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    // Small kernel buffers, so that the sender notices the rate at once.
    var small: Int32 = 8192
    setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &small, socklen_t(MemoryLayout<Int32>.size))
    var address = Self.address(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, length) == 0 && listen(listener, 1) == 0 && getsockname(listener, pointer, &length) == 0
      }
    }
    guard isBound else { throw ProgramFailure(what: "no pipe: \(errno)") }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in
      run(listener, server)
      close(listener)
    }
  }

  /// Changes the rate, in bytes per second.
  func limit(_ rate: Int) { self.rate.withLock { $0 = rate } }

  func stop() { isOver.withLock { $0 = true } }

  private var isStopped: Bool { isOver.withLock { $0 } }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private func run(_ listener: Int32, _ server: UInt16) {
    var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    while poll(&waiting, 1, 100) == 0 { if isStopped { return } }
    let near = accept(listener, nil, nil)
    // The server may still be starting.
    guard let far = connect(to: server) else {
      close(near)
      return
    }
    defer {
      close(near)
      close(far)
    }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let clock = ContinuousClock()
    var last = clock.now
    var allowance = 0.0
    while !isStopped {
      let now = clock.now
      let rate = rate.withLock { $0 }
      // The unused allowance is limited to a tenth of a second.
      allowance = min(Double(rate) / 10, allowance + Double(rate) * ((now - last) / .seconds(1)))
      last = now
      var sockets = [
        pollfd(fd: near, events: allowance >= 1 ? Int16(POLLIN) : 0, revents: 0),
        pollfd(fd: far, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&sockets, 2, 5) >= 0 else { return }
      if sockets[0].revents & Int16(POLLIN | POLLHUP) != 0, allowance >= 1 {
        let read = recv(near, &buffer, min(buffer.count, Int(allowance)), 0)
        guard read > 0, Self.sendAll(far, buffer, read) else { return }
        allowance -= Double(read)
        count.withLock { $0 += read }
      }
      if sockets[1].revents & Int16(POLLIN | POLLHUP) != 0 {
        let read = recv(far, &buffer, buffer.count, 0)
        guard read > 0, Self.sendAll(near, buffer, read) else { return }
      }
    }
  }

  private func connect(to server: UInt16) -> Int32? {
    let deadline = ContinuousClock.now + .seconds(20)
    while !isStopped, ContinuousClock.now < deadline {
      let far = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = Self.address(server)
      let isConnected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(far, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      if isConnected { return far }
      close(far)
      usleep(50_000)
    }
    return nil
  }

  private static func sendAll(_ descriptor: Int32, _ bytes: [UInt8], _ count: Int) -> Bool {
    var done = 0
    while done < count {
      let sent = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress.map { $0 + done }, count - done, Int32(MSG_NOSIGNAL)) }
      guard sent > 0 else { return false }
      done += sent
    }
    return true
  }
}
