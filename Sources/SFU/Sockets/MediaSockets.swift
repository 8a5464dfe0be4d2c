import Glibc
import RoomWebRTC

/// The sockets of one worker: for each bound address a UDP socket and, if enabled, a TCP listener, all on one port number.
struct MediaSockets: Sendable {
  /// At least one. A socket's index here is the `socket` of the addresses of peers that use it.
  let udp: [UDPSocket]
  /// One listener per UDP socket, or none.
  let tcp: [TCPListener]
  var port: UInt16 { udp[0].local.port }

  /// With port 0 the kernel chooses a number that may be in use on the next address; then another one is tried.
  private static let attempts = 32

  init(bind addresses: [TransportAddress], tcp wantsTCP: Bool) throws(MediaPlaneError) {
    guard let first = addresses.first else { throw .badAddress("no address to bind") }
    for attempt in 1... {
      var udp: [UDPSocket] = []
      var tcp: [TCPListener] = []
      do throws(MediaPlaneError) {
        udp.append(try UDPSocket(bind: first))
        for address in addresses.dropFirst() { udp.append(try UDPSocket(bind: address.withPort(udp[0].local.port))) }
        if wantsTCP { for socket in udp { tcp.append(try TCPListener(bind: socket.local)) } }
        self.udp = udp
        self.tcp = tcp
        return
      } catch {
        for socket in udp { socket.close() }
        for listener in tcp { listener.close() }
        guard first.port == 0, attempt < Self.attempts else { throw error }
      }
    }
    throw .badAddress(first.description)
  }

  func close() {
    for socket in udp { socket.close() }
    for listener in tcp { listener.close() }
  }
}
