import RoomCLinux
import Foundation
import Synchronization

/// Sends garbage to a media port at a constant rate from several sockets.
///
/// A quarter of the datagrams starts like STUN, a quarter like DTLS and a quarter like RTP, so that they pass the first check;
/// the rest is entirely random.
final class Flood: Sendable {
  private static let longest = 1400

  private struct State {
    var sent = 0
    var isOver = false
  }

  private let state = Mutex(State())

  /// Datagrams sent so far.
  var sent: Int { state.withLock { $0.sent } }

  /// Starts at once. Ends after `count` datagrams or with `stop`.
  init(port: UInt16, perSecond: Int, count: Int, seed: UInt64) {
    let thread = Thread { [self] in
      run(port: port, perSecond: perSecond, count: count, seed: seed)
    }
    thread.name = "flood"
    thread.start()
  }

  func stop() { state.withLock { $0.isOver = true } }

  private func run(port: UInt16, perSecond: Int, count: Int, seed: UInt64) {
    let sockets = (0..<8).map { _ in socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0) }
    defer { for socket in sockets { close(socket) } }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian

    var random = Xorshift(state: seed)
    var datagram = [UInt8](repeating: 0, count: Self.longest)
    let began = linux_now_us()
    for number in 0..<count {
      let due = began + Int64(number) * 1_000_000 / Int64(perSecond)
      while linux_now_us() < due { usleep(1000) }
      let length = random.fill(&datagram)
      let socket = sockets[number % sockets.count]
      let taken = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          sendto(socket, datagram, length, Int32(MSG_DONTWAIT), $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      let isOver = state.withLock { state in
        if taken == length { state.sent += 1 }
        return state.isOver
      }
      if isOver { return }
    }
  }

  private struct Xorshift {
    var state: UInt64

    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }

    /// Fills `bytes` with random data that may start like a known protocol. Returns the length.
    mutating func fill(_ bytes: inout [UInt8]) -> Int {
      let length = Int(next() % UInt64(bytes.count)) + 1
      bytes.withUnsafeMutableBytes { bytes in
        for offset in stride(from: 0, to: length - 7, by: 8) {
          bytes.storeBytes(of: next(), toByteOffset: offset, as: UInt64.self)
        }
        guard length >= 24 else { return }
        switch next() % 4 {
        case 0:  // A binding request with a valid length and the magic cookie.
          bytes.storeBytes(of: UInt16(1).bigEndian, toByteOffset: 0, as: UInt16.self)
          bytes.storeBytes(of: UInt16(length - 20).bigEndian, toByteOffset: 2, as: UInt16.self)
          bytes.storeBytes(of: UInt32(0x2112_A442).bigEndian, toByteOffset: 4, as: UInt32.self)
        case 1:  // A DTLS 1.2 handshake record.
          bytes.storeBytes(of: UInt32(0x16FE_FD00).bigEndian, toByteOffset: 0, as: UInt32.self)
        case 2:  // RTP or RTCP, version 2.
          bytes[0] = 0x80
        default: break
        }
      }
      return length
    }
  }
}
