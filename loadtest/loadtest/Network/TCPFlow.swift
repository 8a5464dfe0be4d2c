import Foundation
import Glibc
import RoomLossyLink
import Synchronization

/// A TCP flow with CUBIC over a link: as much as it can send, from this process to a reader on the far side.
final class TCPFlow: Sendable {
  private struct State {
    var bytes = 0
    var connection: Int32?
    var isStopped = false
  }

  private let listener: Int32
  private let state = Mutex(State())
  private let reader: SideProcess

  init(to far: NetworkNamespace) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let port = FreePort.find()
    var address = FreePort.address(NetworkBed.address, port)
    let isListening =
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
      } == 0 && listen(listener, 1) == 0
    guard isListening else {
      close(listener)
      throw LoadtestError.system("no TCP socket for the flow: \(String(cString: strerror(errno)))")
    }
    self.listener = listener
    reader = try SideProcess("exec cat < /dev/tcp/\(NetworkBed.address)/\(port) > /dev/null", in: far)
    let thread = Thread { [self] in send() }
    thread.name = "tcp-flow"
    thread.start()
  }

  deinit { close(listener) }

  /// The bytes that the kernel took so far.
  var bytes: Int { state.withLock { $0.bytes } }

  /// Ends the flow.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      // Both wake the thread.
      shutdown(listener, Int32(SHUT_RDWR))
      if let connection = state.connection { shutdown(connection, Int32(SHUT_RDWR)) }
    }
    reader.terminate()
  }

  private func send() {
    let connection = accept(listener, nil, nil)
    guard connection >= 0 else { return }
    defer { close(connection) }
    let isWanted = state.withLock { state in
      state.connection = connection
      return !state.isStopped
    }
    defer { state.withLock { $0.connection = nil } }
    guard isWanted else { return }
    let name = "cubic"
    _ = setsockopt(connection, Int32(IPPROTO_TCP), TCP_CONGESTION, name, socklen_t(name.utf8.count))
    let zeros = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Glibc.send(connection, zeros, zeros.count, Int32(MSG_NOSIGNAL))
      guard count > 0 else { return }
      state.withLock { $0.bytes += count }
    }
  }
}
