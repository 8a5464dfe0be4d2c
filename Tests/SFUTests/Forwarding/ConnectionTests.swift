import Glibc
import RoomRTP
import RoomTestSupport
import Testing
import RoomWebRTC

@testable import RoomSFU

/// A client that publishes and subscribes over one TCP connection, and the forwarder at its other end, without a socket between
/// them.
private final class ConnectedClient {
  /// The kernel's side of the connection: accepts as many bytes as it has room for.
  final class Pipe {
    var room = Int.max
    var bytes: [UInt8] = []
    /// Whether the connection is broken.
    var isBroken = false

    func take(_ base: UnsafeRawPointer, _ count: Int) -> Int {
      guard !isBroken else { return -Int(ECONNRESET) }
      let taken = min(count, room)
      guard taken > 0 else { return -Int(EAGAIN) }
      bytes += UnsafeRawBufferPointer(start: base, count: taken)
      if room < .max { room -= taken }
      return taken
    }
  }

  private static let room = RoomNumber(rawValue: 1)
  private static let transport = TransportID(1)
  let forwarder: Forwarder
  let pipe = Pipe()
  let peer: Peer
  let connection: Int
  /// Maximum bytes per read.
  var piece = Int.max
  private(set) var now = Instant(microseconds: 1_000_000_000)
  private(set) var isConnected = false
  private(set) var isClosed = false
  private(set) var payloads: [SSRC: [[UInt8]]] = [:]
  private(set) var keyFrameRequests = 0
  private let server: TransportAddress
  private var received: [UInt8] = []

  init(limits: MediaLimits = MediaLimits()) throws {
    let certificates = (try Certificate(), try Certificate())
    let context = Unmanaged.passUnretained(pipe).toOpaque()
    forwarder = Forwarder(
      .init(
        certificate: certificates.0, limits: limits, sockets: [],
        calls: SendingCalls(
          context: context, batch: { _, _, _, _ in -EBADF }, single: { _, _, _, _ in -EBADF },
          stream: { context, _, base, count in
            guard let context else { return -Int(EBADF) }
            return Unmanaged<Pipe>.fromOpaque(context).takeUnretainedValue().take(base, count)
          }),
        random: SeededGenerator(seed: 1)))
    var own = TransportAddress(ipv4: 0x0A00_0101, port: 5000)
    own.isTCP = true
    let index = forwarder.connections.insert(TCPConnection(descriptor: 9, address: own, deadline: now))
    connection = try #require(index)
    var server = TransportAddress(ipv4: 0x0A00_0001, port: 8100)
    server.isTCP = true
    self.server = server
    let (ours, theirs) = (ICECredentials.random(), ICECredentials.random())
    var configuration = Peer.Configuration(
      ice: .full(controlling: true), role: .client, certificate: certificates.1, credentials: ours)
    configuration.usesTCP = true
    peer = try Peer(configuration)
    let orders: [MediaOrder] = [
      .open(Self.transport, local: TransportParameters(credentials: theirs, fingerprints: [], role: .server), at: nil),
      .connect(
        Self.transport,
        TransportParameters(credentials: ours, fingerprints: [certificates.1.fingerprint], role: .client)),
      .publish(MediaTrackID(1), on: Self.transport, Parameters.video(mid: "0", ssrc: 1111)),
      .publish(MediaTrackID(2), on: Self.transport, Parameters.audio(mid: "1", ssrc: 2222)),
      .subscribe(
        SubscriptionID(1), to: MediaTrackID(1), on: Self.transport, Parameters.video(mid: "2", ssrc: 9001),
        continues: false),
      .subscribe(
        SubscriptionID(2), to: MediaTrackID(2), on: Self.transport, Parameters.audio(mid: "3", ssrc: 9003),
        continues: false),
    ]
    forwarder.carryOut([.openRoom(Self.room) { _ in }] + orders.map { .order(Self.room, $0) }, now: now)
    peer.setRemote(
      TransportParameters(
        credentials: theirs, fingerprints: [certificates.0.fingerprint], role: .server, iceLite: true,
        candidates: [ICECandidate(foundation: "1", priority: 1, address: server, kind: .host)]), now: now)
  }

  /// Advances the time.
  func run(milliseconds: Int64) {
    let end = now.advanced(milliseconds: milliseconds)
    while now < end {
      now = now.advanced(milliseconds: 1)
      peer.advance(to: now)
      forwarder.advance(to: now)
      exchange()
    }
  }

  private func exchange() {
    while let output = peer.nextOutput() {
      switch output {
      case .transmit(let bytes, _): send(bytes)
      case .event(.connected): isConnected = true
      case .event: break
      }
    }
    while let index = forwarder.nextBusyConnection() {
      forwarder.write(index)
      guard forwarder.connections[index].pointee.isOver else { continue }
      forwarder.connectionClosed(index, now: now)
      isClosed = true
    }
    received += pipe.bytes
    pipe.bytes = []
    while case .frame(let range) = received.withUnsafeBytes({ StreamFraming.next(in: $0, at: 0, limit: 65_535) }) {
      receive(Array(received[range]))
      received.removeFirst(range.upperBound)
    }
  }

  private func receive(_ frame: [UInt8]) {
    var buffer = frame
    switch buffer.withUnsafeMutableBytes({ peer.receive($0, from: server, now: now) }) {
    case .rtp(let length):
      let bytes = Array(buffer[..<length])
      guard let header = bytes.withUnsafeBytes({ RTPHeader(parsing: $0) }) else { return }
      let packet = TestClient.Packet(header: header, bytes: bytes)
      payloads[header.ssrc, default: []].append(packet.payload)
    case .rtcp(let length):
      buffer[..<length].withUnsafeBytes {
        var reader = RTCPReader($0)
        while let packet = reader.next() { if case .pictureLoss = packet { keyFrameRequests += 1 } }
      }
    case .consumed, .dropped: break
    }
  }

  /// Sends a packet in a frame.
  func send(_ packet: [UInt8]) {
    let header = StreamFraming.header(length: packet.count)
    sendRaw([header.0, header.1] + packet)
  }

  func sendRaw(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty, let space = forwarder.beginReading(connection) {
      let part = rest.prefix(piece)
      UnsafeMutableRawBufferPointer(rebasing: space[..<part.count]).copyBytes(from: part)
      forwarder.endReading(connection, count: part.count, now: now)
      rest = rest.dropFirst(part.count)
    }
  }

  /// Sends a video frame of 1000 bytes and 20 ms of audio, with their number in the payloads.
  func sendMedia(_ number: UInt16, isKey: Bool = false) {
    let picture = (isKey ? VP8Payload.key() : VP8Payload.delta()) + [UInt8(truncatingIfNeeded: number)]
    send(
      peer.sealedRTP(
        payloadType: 96, sequence: number, timestamp: UInt32(number) * 3000, ssrc: 1111, marker: true,
        payload: picture + [UInt8](repeating: 7, count: 1000)))
    send(
      peer.sealedRTP(
        payloadType: 111, sequence: number, timestamp: UInt32(number) * 960, ssrc: 2222,
        payload: [UInt8(truncatingIfNeeded: number)]))
  }

  /// The numbers of the audio packets received back.
  var audio: [Int] { (payloads[9003] ?? []).map { Int($0[0]) } }
  var videoCount: Int { payloads[9001]?.count ?? 0 }
}

@Suite("forwarder: connections")
struct ConnectionTests {
  @Test("a client connects and its media flows, in whatever pieces its bytes arrive", arguments: [1, 7, 1500, Int.max])
  func pieces(piece: Int) throws {
    let client = try ConnectedClient()
    client.piece = piece
    client.run(milliseconds: 300)
    try #require(client.isConnected)
    for number in 0..<10 as Range<UInt16> {
      client.sendMedia(number, isKey: number == 0)
      if number % 3 == 0 { client.sendRaw([0, 0]) }
      client.run(milliseconds: 20)
    }
    #expect(client.audio == Array(0..<10))
    #expect(client.videoCount == 10)
    #expect(!client.isClosed)
  }

  @Test("a connection whose first frame is not a check, or announces too great a length, is closed", arguments: [true, false])
  func malformed(isTooLong: Bool) throws {
    let client = try ConnectedClient()
    client.sendRaw(isTooLong ? [0xFF, 0xFF, 0] : [0, 4, 0x80, 96, 0, 1])
    #expect(client.forwarder.beginReading(client.connection) == nil)
    client.run(milliseconds: 1)
    #expect(client.isClosed)
    #expect(client.forwarder.currentCounters().tcpMalformed == 1)
    #expect(client.forwarder.currentCounters().tcpConnections == 0)
  }

  @Test("a connection that accepts nothing loses video up to a key frame after it recovers, and no audio")
  func slow() throws {
    var limits = MediaLimits()
    limits.tcpQueueBytes = 8192
    limits.keyFrameInterval = 100_000
    let client = try ConnectedClient(limits: limits)
    client.run(milliseconds: 300)
    client.sendMedia(0, isKey: true)
    client.run(milliseconds: 20)
    let asked = client.keyFrameRequests
    client.pipe.room = 0
    for number in 1...20 as ClosedRange<UInt16> {
      client.sendMedia(number)
      client.run(milliseconds: 20)
    }
    #expect(client.audio == [0])
    #expect(client.forwarder.currentCounters()[.tcpQueueFull] > 0)
    client.pipe.room = .max
    client.forwarder.connections.markBusy(client.connection)
    client.run(milliseconds: 200)
    #expect(client.audio == Array(0...20), "a quarter of the queue is reserved for it")
    let delivered = client.videoCount
    #expect((2...7).contains(delivered), "packets queued before")
    #expect(client.keyFrameRequests > asked)
    client.sendMedia(21)
    client.sendMedia(22, isKey: true)
    client.sendMedia(23)
    client.run(milliseconds: 20)
    #expect(client.videoCount == delivered + 2)
  }

  @Test("a connection that breaks is closed, and the forwarder sends nothing more over it")
  func broken() throws {
    let client = try ConnectedClient()
    client.run(milliseconds: 300)
    client.pipe.isBroken = true
    client.sendMedia(0, isKey: true)
    client.run(milliseconds: 20)
    #expect(client.isClosed)
    #expect(client.forwarder.currentCounters().tcpConnections == 0)
    client.run(milliseconds: 40_000)
    #expect(client.videoCount == 0)
  }
}
