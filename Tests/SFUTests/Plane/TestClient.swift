import Glibc
import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

/// A client of the media plane: a full-ICE `Peer` over a plain socket, driven by the test's own loop.
final class TestClient {
  struct Packet {
    var header: RTPHeader
    var bytes: [UInt8]
    var payload: [UInt8] { Array(bytes[header.headerLength..<(header.headerLength + header.payloadLength)]) }

    func values(_ ids: RTPExtensionIDs) -> RTPExtensionValues {
      bytes.withUnsafeBytes { RTPExtensionValues(packet: $0, header: header, ids: ids) }
    }

    func mid(_ ids: RTPExtensionIDs) -> String? {
      values(ids).mid.map { String(decoding: bytes[$0], as: UTF8.self) }
    }
  }

  let id: TransportID
  private(set) var wire: TestWire
  let fingerprint: Fingerprint
  let peer: Peer
  let server: TransportAddress
  let serverCredentials = ICECredentials.random()
  let credentials = ICECredentials.random()
  private(set) var events: [PeerEvent] = []
  var packets: [Packet] = []
  /// Received RTCP packets by kind, for tests to inspect.
  var pictureLosses: [SSRC] = []
  var nacks: [(media: SSRC, numbers: [UInt16])] = []
  var senderReports: [SenderInformation] = []
  var reportBlocks: [ReportBlock] = []
  var names: [SSRC: String] = [:]
  var feedbackStatuses = 0
  var estimates: [UInt64] = []
  var goodbyes: [SSRC] = []
  var fullIntraRequests: [SSRC] = []
  /// Received datagrams, still sealed.
  private(set) var datagrams: [[UInt8]] = []
  /// The last datagrams sent, to send them again.
  private(set) var lastSent: [UInt8] = []

  var isConnected: Bool { events.contains { if case .connected = $0 { true } else { false } } }

  init(
    _ id: UInt32, in room: MediaRoom, of plane: MediaPlane, told: Certificate? = nil,
    profiles: [SRTPProfile] = SRTPProfile.preferred, at candidates: [ICECandidate]? = nil,
    sharingPortOf other: TestClient? = nil, receiveBuffer: Int32? = nil
  ) throws {
    self.id = TransportID(id)
    let certificate = try Certificate()
    fingerprint = certificate.fingerprint
    let candidates = candidates ?? room.candidates
    server = try #require(candidates.first).address
    // Sockets that share a port must be connected, so that the kernel can tell their answers apart.
    if let other, !server.isTCP { try other.wire.share() }
    let wire = try TestWire(to: server, port: other?.address.port ?? 0, receiveBuffer: receiveBuffer, shares: other != nil)
    self.wire = wire
    var configuration = Peer.Configuration(
      ice: .full(controlling: true), role: .client, certificate: certificate, credentials: credentials, profiles: profiles)
    configuration.usesTCP = server.isTCP
    peer = try Peer(configuration)
    let local = TransportParameters(
      credentials: serverCredentials, fingerprints: [plane.fingerprint], role: .server, iceLite: true, candidates: candidates)
    room.openTransport(self.id, local: local)
    room.connectTransport(
      self.id,
      remote: TransportParameters(
        credentials: credentials, fingerprints: [(told ?? certificate).fingerprint], role: .client))
    peer.setRemote(local, now: Self.now)
  }

  /// This side's own address.
  var address: TransportAddress { wire.local }

  /// Continues over a new socket.
  func reconnect() throws {
    wire = try TestWire(to: server)
    peer.connectionClosed(server, now: Self.now)
    drain()
  }

  static var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  /// Receives packets, advances the clock, and sends output.
  func pump() {
    while let (datagram, source) = wire.receive() {
      datagrams.append(datagram)
      var buffer = datagram
      let received = buffer.withUnsafeMutableBytes {
        peer.receive($0, from: source, now: Self.now)
      }
      switch received {
      case .rtp(let length):
        let bytes = Array(buffer[..<length])
        if let header = bytes.withUnsafeBytes({ RTPHeader(parsing: $0) }) {
          packets.append(Packet(header: header, bytes: bytes))
        }
      case .rtcp(let length): note(Array(buffer[..<length]))
      case .consumed, .dropped: break
      }
      drain()
    }
    peer.advance(to: Self.now)
    drain()
  }

  private func drain() {
    while let output = peer.nextOutput() {
      switch output {
      case .transmit(let bytes, let to): send(bytes, to: to)
      case .event(let event): events.append(event)
      }
    }
  }

  private func note(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes {
      var reader = RTCPReader($0)
      while let packet = reader.next() {
        switch packet {
        case .pictureLoss(let loss): pictureLosses.append(loss.media)
        case .fullIntraRequest(let request): fullIntraRequests += request.map(\.media)
        case .nack(let nack): nacks.append((nack.media, Array(nack)))
        case .senderReport(let report): senderReports.append(report.sender)
        case .receiverReport(let report): reportBlocks += Array(report.blocks)
        case .transportFeedback(let feedback): feedbackStatuses += feedback.statusCount
        case .bitrateEstimate(let estimate): estimates.append(estimate.bitrate)
        case .goodbye(let sources): goodbyes += Array(sources)
        case .sourceDescription(let description):
          for name in description { names[name.ssrc] = String(decoding: name.name, as: UTF8.self) }
        default: break
        }
      }
    }
  }

  func send(_ bytes: [UInt8], to: TransportAddress? = nil) {
    wire.send(bytes, to: to)
    lastSent = bytes
  }

  func sendRTP(
    payloadType: UInt8, sequence: UInt16, timestamp: UInt32, ssrc: SSRC, marker: Bool = false, payload: [UInt8],
    mid: (id: UInt8, text: String)? = nil, level: (id: UInt8, level: UInt8)? = nil,
    transportSequence: (id: UInt8, number: UInt16)? = nil
  ) {
    let packet = peer.sealedRTP(
      payloadType: payloadType, sequence: sequence, timestamp: timestamp, ssrc: ssrc, marker: marker, payload: payload,
      mid: mid,
      level: level, transportSequence: transportSequence)
    if !packet.isEmpty { send(packet) }
  }

  func sendRTCP(_ body: (inout RTCPWriter) -> Void) {
    let packet = peer.sealedRTCP(body)
    if !packet.isEmpty { send(packet) }
  }
}
