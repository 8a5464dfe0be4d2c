import RoomCLinux
import Glibc
import RoomRTP
import RoomSFU
import RoomWebRTC

/// A peer with a UDP socket of its own.
final class Client {
  let id: TransportID
  let descriptor: Int32
  private let peer: Peer
  private let server: TransportAddress
  private(set) var isConnected = false
  /// RTP packets received, without RTX. They are not decrypted: the unencrypted header is sufficient for reports.
  private(set) var received = 0
  private var recorder = TransportFeedbackRecorder()
  /// Header of the last packet of the stream that is not RTX.
  private var last: RTPHeader?
  private var sealer: SRTPSealer?
  /// The loss that its reports state, in 1/256; nil reports nothing.
  var reportedLoss: UInt8?

  /// Adds itself to a room's worker as a new transport.
  init(_ number: UInt32, in room: MediaRoom, of plane: MediaPlane, certificate: Certificate, profile: SRTPProfile) throws {
    id = TransportID(number)
    let candidates = room.candidates
    guard let candidate = candidates.first, let loopback = TransportAddress(host: "127.0.0.1", port: 0) else {
      throw PacketPathError.noSocket
    }
    server = candidate.address
    var storage = sockaddr_storage()
    let length = loopback.write(to: &storage)
    descriptor = withUnsafePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { linux_udp_socket($0, length, 1 << 20) }
    }
    guard descriptor >= 0 else { throw PacketPathError.noSocket }
    let ours = ICECredentials.random()
    let theirs = ICECredentials.random()
    peer = try Peer(
      .init(
        ice: .full(controlling: true), role: .client, certificate: certificate, credentials: ours, profiles: [profile]))
    let local = TransportParameters(
      credentials: theirs, fingerprints: [plane.fingerprint], role: .server, iceLite: true, candidates: candidates)
    room.openTransport(id, local: local)
    room.connectTransport(
      id, remote: TransportParameters(credentials: ours, fingerprints: [certificate.fingerprint], role: .client))
    peer.setRemote(local, now: Self.now)
    drain()
  }

  deinit { close(descriptor) }

  static let payloadType: UInt8 = 96
  static let redPayloadType: UInt8 = 63
  static let headerExtensions: [RTPHeaderExtension: UInt8] = [.mid: 1, .absSendTime: 2, .transportSequence: 3]
  private static let extensions = RTPExtensionIDs(mid: 1, absSendTime: 2, transportSequence: 3)

  static var now: Instant { Instant(microseconds: linux_now_us()) }

  /// Processes received datagrams. Media is only counted.
  func receive(_ batch: inout ReceiveSlab) {
    while true {
      let count = batch.receive(from: descriptor)
      for index in 0..<count {
        let bytes = batch[index]
        switch DatagramKind.classify(UnsafeRawBufferPointer(bytes)) {
        case .rtp:
          // The padding length is encrypted, so the padding bit is cleared.
          bytes[0] &= ~0x20
          note(UnsafeRawBufferPointer(bytes))
        case .stun, .dtls:
          _ = peer.receive(bytes, from: server, now: Self.now)
          drain()
        case .rtcp, .unknown: break
        }
      }
      if count < ReceiveSlab.count { return }
    }
  }

  private func note(_ packet: UnsafeRawBufferPointer) {
    guard let header = RTPHeader(parsing: packet) else { return }
    let values = RTPExtensionValues(packet: packet, header: header, ids: Self.extensions)
    if let sequence = values.transportSequence { recorder.record(sequence, arrival: Self.now) }
    guard header.payloadType == Self.payloadType || header.payloadType == Self.redPayloadType else { return }
    received += 1
    last = header
  }

  func advance() {
    peer.advance(to: Self.now)
    drain()
    report()
  }

  /// Sends what a browser sends ten times a second: a receiver report, transport-wide feedback and a NACK.
  private func report() {
    guard let last else { return }
    withUnsafeTemporaryAllocation(byteCount: 1500, alignment: 16) { buffer in
      var writer = RTCPWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[..<1400]))
      writer.receiverReport(ssrc: 1)
      if let reportedLoss { writer.append(ReportBlock(ssrc: last.ssrc, fractionLost: reportedLoss)) }
      recorder.writeFeedback(to: &writer, sender: 1, media: last.ssrc)
      writer.nack(sender: 1, media: last.ssrc, sequenceNumbers: [last.sequenceNumber])
      guard let length = peer.protectRTCP(buffer, length: writer.length) else { return }
      send(UnsafeRawBufferPointer(rebasing: buffer[..<length]))
    }
  }

  private func drain() {
    while let output = peer.nextOutput() {
      switch output {
      case .transmit(let bytes, _): bytes.withUnsafeBytes { send($0) }
      case .event(.connected):
        isConnected = true
        sealer = peer.makeSealer()
      case .event: break
      }
    }
  }

  private func send(_ bytes: UnsafeRawBufferPointer) {
    var storage = sockaddr_storage()
    let length = server.write(to: &storage)
    _ = withUnsafePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { sendto(descriptor, bytes.baseAddress, bytes.count, 0, $0, length) }
    }
  }

  /// Encrypts and sends a packet whose first 12 bytes are its header.
  func sendRTP(_ packet: UnsafeRawBufferPointer, index: UInt64, ssrc: SSRC) {
    guard let sealer, let base = packet.baseAddress, packet.count >= 12 else { return }
    withUnsafeTemporaryAllocation(byteCount: packet.count + sealer.overhead, alignment: 16) { sealed in
      guard let target = sealed.baseAddress else { return }
      let length = sealer.seal(
        header: base, headerLength: 12, payload: base + 12, payloadLength: packet.count - 12, index: index, ssrc: ssrc,
        into: target)
      send(UnsafeRawBufferPointer(rebasing: sealed[..<length]))
    }
  }
}

enum PacketPathError: Error {
  case noSocket
  /// Not all clients connected in time.
  case notConnected
  /// For several seconds, fewer packets arrived than were sent.
  case stalled
}

/// Buffers for one `recvmmsg` call.
struct ReceiveSlab: ~Copyable {
  static let count = 64
  private static let slotBytes = 2048
  private let slab: UnsafeMutableRawPointer
  private let datagrams: UnsafeMutablePointer<linux_datagram>

  init() {
    slab = .allocate(byteCount: Self.count * Self.slotBytes, alignment: 64)
    datagrams = .allocate(capacity: Self.count)
    datagrams.initialize(repeating: linux_datagram(), count: Self.count)
    for index in 0..<Self.count {
      datagrams[index].data = (slab + index * Self.slotBytes).assumingMemoryBound(to: UInt8.self)
      datagrams[index].capacity = UInt32(Self.slotBytes)
    }
  }

  deinit {
    slab.deallocate()
    datagrams.deallocate()
  }

  subscript(index: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: datagrams[index].data, count: Int(datagrams[index].length))
  }

  mutating func receive(from descriptor: Int32) -> Int {
    max(0, Int(linux_receive(descriptor, datagrams, Int32(Self.count))))
  }
}
