import Glibc
import RoomLinkModel
import RoomLossyLink
import RoomPeers
import RoomRTP
import RoomWebRTC
import Synchronization

@testable import sctp_peer

/// A `Peer` in the role of the server on a UDP socket of 127.0.0.1, with a thread of its own.
final class PeerSocket: Sendable {
  typealias Call = @Sendable (Peer, Instant) -> Void

  let local: TransportParameters
  private let certificate: Certificate
  private let port: UInt16
  private let link: LossyLink?
  private let calls = Mutex<[Call]>([])
  private let pump = Mutex<Call?>(nil)
  private let bytes = Mutex(0)
  private let received = Mutex<[DataChannelEvent]>([])
  private let hasEnded = Mutex(false)

  /// - Parameter conditions: those of both directions of a link in front of the socket; nil for none.
  init(_ conditions: LinkConditions? = nil) throws {
    port = try UDPPort.free()
    link = try conditions.map { [port] in try LossyLink(to: port, toTarget: $0, toClient: $0, seed: 1) }
    let port = link?.port ?? port
    certificate = try Certificate()
    local = TransportParameters(
      credentials: .random(), fingerprints: [certificate.fingerprint], role: .server, iceLite: true,
      candidates: [
        ICECandidate(
          foundation: "1", priority: 2_130_706_431, address: TransportAddress(ipv4: 0x7F00_0001, port: port), kind: .host)
      ])
  }

  /// What happened to the data channels so far.
  var events: [DataChannelEvent] { received.withLock { $0 } }

  /// The bytes of all messages so far.
  var bytesReceived: Int { bytes.withLock { $0 } }

  /// Runs a call on the peer's thread whenever it has done something; nil for none.
  func setPump(_ call: Call?) { pump.withLock { $0 = call } }

  /// Runs a call on the peer's thread.
  func perform(_ call: @escaping Call) { calls.withLock { $0.append(call) } }

  func stop() { hasEnded.withLock { $0 = true } }

  /// Runs the peer until `stop`; call it on a thread.
  func run() throws {
    let peer = try Peer(.init(ice: .lite, role: .server, certificate: certificate, credentials: local.credentials))
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(descriptor) }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    var size: CInt = 4 << 20
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
    var own = Self.address(0x7F00_0001, port)
    let isBound = withUnsafePointer(to: &own) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard isBound == 0 else { throw ProgramFailure(what: "no UDP port: \(errno)") }
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !hasEnded.withLock({ $0 }) {
      var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
      let wait = peer.deadline.map { max(0, min(20_000, $0 - AssociationSocket.now)) } ?? 20_000
      poll(&descriptors, 1, CInt((wait + 999) / 1000))
      for call in calls.withLock({ calls in
        defer { calls.removeAll() }
        return calls
      }) {
        call(peer, AssociationSocket.now)
        drain(peer, descriptor)
      }
      for _ in 0..<64 {
        var source = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = withUnsafeMutablePointer(to: &source) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            recvfrom(descriptor, &buffer, buffer.count, 0, $0, &length)
          }
        }
        guard count > 0 else { break }
        let from = TransportAddress(ipv4: UInt32(bigEndian: source.sin_addr.s_addr), port: UInt16(bigEndian: source.sin_port))
        _ = buffer.withUnsafeMutableBytes {
          peer.receive(UnsafeMutableRawBufferPointer(rebasing: $0[..<count]), from: from, now: AssociationSocket.now)
        }
        drain(peer, descriptor)
      }
      peer.advance(to: AssociationSocket.now)
      drain(peer, descriptor)
      if let pump = pump.withLock({ $0 }) {
        pump(peer, AssociationSocket.now)
        drain(peer, descriptor)
      }
    }
    link?.stop()
    peer.close(now: AssociationSocket.now)
    drain(peer, descriptor)
  }

  private func drain(_ peer: Peer, _ descriptor: CInt) {
    while let output = peer.nextOutput() {
      switch output {
      case .transmit(let bytes, let to):
        var address = Self.address(to.ipv4, to.port)
        withUnsafePointer(to: &address) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            _ = sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
          }
        }
      case .event(.channel(let event)):
        if case .message(_, let message) = event { bytes.withLock { $0 += message.payload.count } }
        received.withLock { $0.append(event) }
      case .event: break
      }
    }
  }

  private static func address(_ host: UInt32, _ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = host.bigEndian
    return address
  }
}
