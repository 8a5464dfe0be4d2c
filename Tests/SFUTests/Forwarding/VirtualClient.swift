import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

/// A client on a `VirtualNetwork`: a full-ICE `Peer`, and everything it received, with arrival times.
final class VirtualClient {
  /// An RTCP packet from the forwarder.
  enum Feedback: Equatable {
    case pictureLoss(SSRC)
    case nack(SSRC, [UInt16])
    case senderReport(SenderInformation)
    case reportBlock(ReportBlock)
    case goodbye(SSRC)
  }

  let id: TransportID
  let address: TransportAddress
  /// The address of its worker.
  let server: TransportAddress
  let peer: Peer
  let credentials = ICECredentials.random()
  let serverCredentials = ICECredentials.random()
  private(set) var packets: [(at: Instant, packet: TestClient.Packet)] = []
  private(set) var feedback: [(at: Instant, feedback: Feedback)] = []
  private(set) var isConnected = false
  /// Whether the forwarder has ended the association.
  private(set) var isClosed = false
  /// What happened to its data channels.
  private(set) var channelEvents: [DataChannelEvent] = []
  private unowned let network: VirtualNetwork
  /// What the client reports of the path to it: nothing, or transport-wide feedback each 50 ms and NACKs.
  private var receiver: VirtualReceiver?
  /// The bitrates that the forwarder asked for by REMB.
  private(set) var estimates: [(at: Instant, bitrate: UInt64)] = []

  init(_ number: UInt32, on network: VirtualNetwork) throws {
    self.network = network
    id = TransportID(number)
    address = TransportAddress(ipv4: network.sharesAddress ? 0x0A00_0100 : 0x0A00_0100 + number, port: UInt16(5000 + number))
    server = VirtualNetwork.server(network.worker(of: id))
    let certificate = try Certificate()
    var configuration = Peer.Configuration(
      ice: .full(controlling: true), role: .client, certificate: certificate, credentials: credentials)
    configuration.tieBreaker = UInt64(number)
    peer = try Peer(configuration)
    network.order(
      .open(
        id, local: TransportParameters(credentials: serverCredentials, fingerprints: [], role: .server), at: nil),
      .connect(
        id, TransportParameters(credentials: credentials, fingerprints: [certificate.fingerprint], role: .client)))
    let candidate = ICECandidate(foundation: "1", priority: 1, address: server, kind: .host)
    peer.setRemote(
      TransportParameters(
        credentials: serverCredentials, fingerprints: [network.certificate.fingerprint], role: .server, iceLite: true,
        candidates: [candidate]), now: network.now)
  }

  /// Returns the sequence numbers of one stream's packets, relative to the first.
  func numbers(of ssrc: SSRC) -> [UInt16] {
    let all = packets.filter { $0.packet.header.ssrc == ssrc }.map(\.packet.header.sequenceNumber)
    return all.map { $0 &- (all.first ?? 0) }
  }

  func payloads(of ssrc: SSRC) -> [[UInt8]] { packets.filter { $0.packet.header.ssrc == ssrc }.map(\.packet.payload) }

  /// Returns the arrival times of a kind of feedback.
  func times(of matches: (Feedback) -> Bool) -> [Instant] { feedback.filter { matches($0.feedback) }.map(\.at) }

  var pictureLosses: [Instant] { times { if case .pictureLoss = $0 { true } else { false } } }
  var senderReports: [(at: Instant, report: SenderInformation)] {
    feedback.compactMap { entry in if case .senderReport(let report) = entry.feedback { (entry.at, report) } else { nil } }
  }

  func receive(_ datagram: [UInt8], now: Instant) {
    var buffer = datagram
    let received = buffer.withUnsafeMutableBytes { peer.receive($0, from: server, now: now) }
    switch received {
    case .rtp(let length):
      let bytes = Array(buffer[..<length])
      if let header = bytes.withUnsafeBytes({ RTPHeader(parsing: $0) }) {
        packets.append((now, TestClient.Packet(header: header, bytes: bytes)))
        receiver?.receive(bytes, header, now: now)
      }
    case .rtcp(let length): buffer[..<length].withUnsafeBytes { note($0, now: now) }
    case .consumed, .dropped: break
    }
    drain()
  }

  private func note(_ bytes: UnsafeRawBufferPointer, now: Instant) {
    var reader = RTCPReader(bytes)
    while let packet = reader.next() {
      switch packet {
      case .pictureLoss(let loss): feedback.append((now, .pictureLoss(loss.media)))
      case .nack(let nack): feedback.append((now, .nack(nack.media, Array(nack))))
      case .senderReport(let report): feedback.append((now, .senderReport(report.sender)))
      case .receiverReport(let report): feedback += report.blocks.map { (now, .reportBlock($0)) }
      case .bitrateEstimate(let estimate): estimates.append((now, estimate.bitrate))
      case .goodbye(let sources): feedback += sources.map { (now, .goodbye($0)) }
      default: break
      }
    }
  }

  var deadline: Instant? { [peer.deadline, receiver?.deadline].lazy.compactMap { $0 }.min() }

  /// Starts transport-wide feedback, and NACKs for these streams.
  func reportPath(nacks: [SSRC] = []) { receiver = VirtualReceiver(nacks: nacks, now: network.now) }

  func advance(to now: Instant) {
    peer.advance(to: now)
    if let due = receiver?.deadline, due <= now {
      let packet = peer.sealedRTCP { receiver?.report(to: &$0, now: now) }
      network.send(packet, from: self)
    }
    drain()
  }

  private func drain() {
    while let output = peer.nextOutput() {
      switch output {
      case .transmit(let bytes, _): network.send(bytes, from: self)
      case .event(.connected): isConnected = true
      case .event(.closed): isClosed = true
      case .event(.channel(let event)): channelEvents.append(event)
      case .event: break
      }
    }
  }

  func sendRTP(
    payloadType: UInt8, sequence: UInt16, timestamp: UInt32, ssrc: SSRC, marker: Bool = false, payload: [UInt8],
    level: UInt8? = nil
  ) {
    network.send(
      peer.sealedRTP(
        payloadType: payloadType, sequence: sequence, timestamp: timestamp, ssrc: ssrc, marker: marker, payload: payload,
        level: level.map { (4, $0) }), from: self)
  }

  func sendRTCP(_ body: (inout RTCPWriter) -> Void) { network.send(peer.sealedRTCP(body), from: self) }
}

extension VirtualNetwork {
  /// Connects two clients: Alice publishes VP8 as SSRC 1111 with RTX 1112; Bob receives it as 9001 with RTX 9002.
  func videoFromAliceToBob() throws -> (alice: VirtualClient, bob: VirtualClient) {
    let clients = try connectedClients(2)
    order(
      .publish(MediaTrackID(1), on: clients[0].id, Parameters.video(ssrc: 1111, rtx: 1112)),
      .subscribe(
        SubscriptionID(1), to: MediaTrackID(1), on: clients[1].id,
        Parameters.video(mid: "v", ssrc: 9001, rtx: 9002, payloadType: 100), continues: false))
    return (clients[0], clients[1])
  }

  /// Subscribes one more client to the track of `videoFromAliceToBob`, with RTX as the next SSRC.
  func subscribe(_ client: VirtualClient, ssrc: SSRC) {
    order(
      .subscribe(
        SubscriptionID(ssrc.rawValue), to: MediaTrackID(1), on: client.id,
        Parameters.video(mid: "v", ssrc: ssrc, rtx: SSRC(ssrc.rawValue + 1), payloadType: 100), continues: false))
  }
}

extension VirtualClient {
  /// Sends a frame of one packet on the track of `videoFromAliceToBob`. Its timestamp is 3000 times its number.
  func sendFrame(_ number: UInt16, isKey: Bool = false) {
    let payload = isKey ? VP8Payload.key("\(number)") : VP8Payload.delta("\(number)")
    sendRTP(
      payloadType: 96, sequence: number, timestamp: UInt32(number) * 3000, ssrc: 1111, marker: true, payload: payload)
  }
}
