import RoomRTP
import Testing

@testable import RoomWebRTC

/// Two peers on a link in virtual time. A transmitted datagram reaches the other's address after a delay, unless the link drops
/// it.
final class PeerPair {
  /// One side and its recorded events.
  final class End {
    let peer: Peer
    let certificate: Certificate
    var credentials: ICECredentials
    /// The address from which its datagrams are currently sent.
    var address: TransportAddress
    var events: [PeerEvent] = []
    var media: [[UInt8]] = []
    var received: [Received] = []

    init(_ peer: Peer, _ certificate: Certificate, _ credentials: ICECredentials, _ address: TransportAddress) {
      self.peer = peer
      self.certificate = certificate
      self.credentials = credentials
      self.address = address
    }

    var isConnected: Bool {
      events.contains { if case .connected = $0 { true } else { false } }
    }

    func parameters(role: DTLSRole?, lite: Bool = false, fingerprint: Fingerprint? = nil) -> TransportParameters {
      TransportParameters(
        credentials: credentials, fingerprints: [fingerprint ?? certificate.fingerprint], role: role, iceLite: lite,
        candidates: [ICECandidate(foundation: "1", priority: 2_130_706_431, address: address, kind: .host)])
    }
  }

  struct Datagram {
    var bytes: [UInt8]
    var from: TransportAddress
    var to: TransportAddress
    var due: Instant
    var kind: DatagramKind { bytes.withUnsafeBytes { DatagramKind.classify($0) } }
  }

  static let serverAddress = TransportAddress(ipv4: 0x0A00_0001, port: 3478)
  static let clientAddress = TransportAddress(ipv4: 0x0A00_0002, port: 40000)

  var now = Instant(microseconds: 1_000_000)
  /// The ICE-lite DTLS server, or the second full agent.
  let server: End
  let client: End
  /// Returns whether the link drops a datagram.
  var loses: (Datagram) -> Bool = { _ in false }
  /// The one-way delay in microseconds.
  var delay: Int64 = 10_000
  private(set) var sent: [Datagram] = []
  private var underway: [Datagram] = []

  init(
    serverICE: ICEMode = .lite, clientICE: ICEMode = .full(controlling: true),
    serverProfiles: [SRTPProfile] = SRTPProfile.preferred,
    clientProfiles: [SRTPProfile] = SRTPProfile.preferred, streamLimit: Int = 128
  ) throws {
    func end(
      _ ice: ICEMode, _ role: DTLSRole, _ profiles: [SRTPProfile], _ address: TransportAddress
    ) throws -> End {
      let certificate = try Certificate()
      let credentials = ICECredentials.random()
      let peer = try Peer(
        .init(
          ice: ice, role: role, certificate: certificate, credentials: credentials, profiles: profiles, streamLimit: streamLimit
        ))
      return End(peer, certificate, credentials, address)
    }
    server = try end(serverICE, .server, serverProfiles, Self.serverAddress)
    client = try end(clientICE, .client, clientProfiles, Self.clientAddress)
  }

  /// Exchanges descriptions like signalling.
  func signal(clientFingerprint: Fingerprint? = nil, serverFingerprint: Fingerprint? = nil, isLite: Bool = true) {
    server.peer.setRemote(client.parameters(role: .client, fingerprint: clientFingerprint), now: now)
    client.peer.setRemote(server.parameters(role: .server, lite: isLite, fingerprint: serverFingerprint), now: now)
  }

  /// Returns a connected pair with empty records.
  static func connected(
    profile: SRTPProfile = .aeadAES128GCM, serverICE: ICEMode = .lite, clientICE: ICEMode = .full(controlling: true),
    streamLimit: Int = 128
  ) throws -> PeerPair {
    let pair = try PeerPair(
      serverICE: serverICE, clientICE: clientICE, serverProfiles: [profile], clientProfiles: [profile], streamLimit: streamLimit
    )
    pair.signal(isLite: serverICE == .lite)
    pair.run(milliseconds: 2000)
    try #require(pair.server.isConnected && pair.client.isConnected)
    pair.forget()
    return pair
  }

  func forget() {
    for end in [server, client] {
      end.events.removeAll()
      end.media.removeAll()
      end.received.removeAll()
    }
    sent.removeAll()
  }

  /// Runs both sides and the link for this long.
  func run(milliseconds: Int64, while goesOn: () -> Bool = { true }) {
    let end = now.advanced(milliseconds: milliseconds)
    drain()
    var stalled = 0
    while goesOn() {
      let next = [underway.map(\.due).min(), server.peer.deadline, client.peer.deadline].compactMap { $0 }.min()
      guard let next, next <= end else { break }
      stalled = next > now ? 0 : stalled + 1
      guard stalled < 100 else {
        Issue.record("a deadline stays in the past")
        return
      }
      now = max(now, next)
      deliver()
      server.peer.advance(to: now)
      client.peer.advance(to: now)
      drain()
    }
    if goesOn() { now = end }
  }

  /// Puts a datagram on the link as if from an address, without delay.
  @discardableResult func inject(_ bytes: [UInt8], from source: TransportAddress, to end: End) -> Received {
    var bytes = bytes
    let received = bytes.withUnsafeMutableBytes { end.peer.receive($0, from: source, now: now) }
    end.received.append(received)
    switch received {
    case .rtp(let length), .rtcp(let length): end.media.append(Array(bytes.prefix(length)))
    case .consumed, .dropped: break
    }
    return received
  }

  /// Protects a packet and sends it over the link.
  @discardableResult func sendRTP(_ packet: [UInt8], from end: End) -> [UInt8]? {
    send(packet, from: end) { end.peer.protectRTP($0, length: $1) }
  }

  @discardableResult func sendRTCP(_ packet: [UInt8], from end: End) -> [UInt8]? {
    send(packet, from: end) { end.peer.protectRTCP($0, length: $1) }
  }

  private func send(
    _ packet: [UInt8], from end: End, protect: (UnsafeMutableRawBufferPointer, Int) -> Int?
  ) -> [UInt8]? {
    var buffer = packet + [UInt8](repeating: 0, count: 20)
    guard let length = buffer.withUnsafeMutableBytes({ protect($0, packet.count) }), let to = end.peer.remoteAddress else {
      return nil
    }
    let bytes = Array(buffer.prefix(length))
    transmit(bytes, from: end, to: to)
    return bytes
  }

  private func deliver() {
    let due = underway.filter { $0.due <= now }
    underway.removeAll { $0.due <= now }
    for datagram in due {
      for end in [server, client] where end.address == datagram.to {
        inject(datagram.bytes, from: datagram.from, to: end)
      }
    }
  }

  private func drain() {
    for end in [server, client] {
      while let output = end.peer.nextOutput() {
        switch output {
        case .transmit(let bytes, let to): transmit(bytes, from: end, to: to)
        case .event(let event): end.events.append(event)
        }
      }
    }
  }

  private func transmit(_ bytes: [UInt8], from end: End, to: TransportAddress) {
    let datagram = Datagram(bytes: bytes, from: end.address, to: to, due: now.advanced(microseconds: delay))
    sent.append(datagram)
    if !loses(datagram) { underway.append(datagram) }
  }
}

/// Returns an RTP packet without extension, with dynamic payload type 96.
func rtpPacket(sequence: UInt16, ssrc: SSRC = 0x1122_3344, payload: [UInt8] = [1, 2, 3, 4]) -> [UInt8] {
  var packet: [UInt8] = [0x80, 96]
  func put<T: FixedWidthInteger>(_ value: T) { withUnsafeBytes(of: value.bigEndian) { packet.append(contentsOf: $0) } }
  put(sequence)
  put(UInt32(sequence) &* 3000)
  put(ssrc.rawValue)
  return packet + payload
}

/// Returns an empty receiver report (RFC 3550 §6.4.2).
func receiverReport(ssrc: SSRC = 0x5566_7788) -> [UInt8] {
  [0x80, 201, 0, 1] + withUnsafeBytes(of: ssrc.rawValue.bigEndian) { Array($0) }
}
