import RoomRTMP
import RoomServer
import RoomTestSupport
import Testing

@Suite("Hostile RTMP clients")
struct HostileRTMPTests {
  private func open(_ configuration: inout ServerConfiguration) { configuration.origin.publishesOpenly = true }

  private func wire(_ server: TestServer) async throws -> Wire {
    try await Wire.connect(port: try #require(server.server.rtmpPort))
  }

  @Test("silent connections time out and are counted")
  func silence() async throws {
    try await TestServer.with {
      $0.origin.timeouts.step = 500_000
    } _: { server in
      var wires: [Wire] = []
      for _ in 0..<100 { wires.append(try await wire(server)) }
      // Half a handshake counts as silence.
      for wire in wires.prefix(50) { wire.send([3] + [UInt8](repeating: 0, count: 700)) }
      try await eventually("all are closed") { wires.allSatisfy(\.isClosed) }
      #expect(try await server.metric("roomserver_rtmp_timed_out_total") == 100)
      #expect(try await server.metric("roomserver_rtmp_connections") == 0)
    }
  }

  @Test("silent connections displace each other, and no others")
  func crowd() async throws {
    try await TestServer.with {
      open(&$0)
      $0.origin.threads = 1
      $0.origin.silentConnections = 10
    } _: { server in
      var wires: [Wire] = []
      for _ in 0..<30 { wires.append(try await wire(server)) }
      try await eventually("the oldest are closed") { wires.count(where: \.isClosed) == 20 }
      #expect(wires.suffix(10).allSatisfy { !$0.isClosed })
      let publisher = try await RTMPPeer.start(.publish, server)
      publisher.sendBeginning()
      #expect(try await server.metric("roomserver_origin_refused_total{reason=\"silent\"}") == 21)
      for wire in wires { wire.close() }
    }
  }

  @Test("thousands of silent connections cost little memory, and all are closed")
  func thousands() async throws {
    try await TestServer.with {
      $0.origin.timeouts.step = 2_000_000
    } _: { server in
      let port = try #require(server.server.rtmpPort)
      let before = try await server.metric("process_resident_memory_bytes")
      RawSocket.allowMany()
      let sockets = try (0..<3000).map { _ in try RawSocket(port: port) }
      try await eventually("the crowd is limited") {
        let connections = try await server.metric("roomserver_rtmp_connections")
        let opened = try await server.metric("roomserver_rtmp_connections_total")
        return opened == 3000 && connections <= 1000
      }
      #expect(try await server.metric("process_resident_memory_bytes") - before < 64 << 20)
      try await eventually("all are gone") { try await server.metric("roomserver_rtmp_connections") == 0 }
      let evicted = try await server.metric("roomserver_origin_refused_total{reason=\"silent\"}")
      #expect(try await server.metric("roomserver_rtmp_timed_out_total") + evicted == 3000)
      withExtendedLifetime(sockets) {}
    }
  }

  @Test("the number of connections is limited")
  func limit() async throws {
    try await TestServer.with {
      $0.origin.connections = 5
    } _: { server in
      var wires: [Wire] = []
      for _ in 0..<8 { wires.append(try await wire(server)) }
      try await eventually("three are closed") { wires.count(where: \.isClosed) == 3 }
      #expect(try await server.metric("roomserver_origin_refused_total{reason=\"connections\"}") == 3)
      for wire in wires { wire.close() }
      try await eventually("there is capacity again") { try await server.metric("roomserver_rtmp_connections") == 0 }
      #expect(try await RTMPPeer.refusal(.play, server, "studio").code == .playStreamNotFound)
    }
  }

  @Test("invalid RTMP ends the connection")
  func malformed() async throws {
    try await TestServer.with { server in
      let handshake = [3] + [UInt8](repeating: 0, count: 3072)
      let attacks: [[UInt8]] = [
        Array("GET / HTTP/1.1\r\n\r\n".utf8),
        // A command before connect.
        handshake + [3, 0, 0, 0, 0, 0, 12, 20, 0, 0, 0, 0] + [2, 0, 4] + Array("play".utf8) + [0, 0, 0, 0, 0],
        // A message of 16 MiB.
        handshake + [6, 0, 0, 0, 0xff, 0xff, 0xff, 9, 1, 0, 0, 0],
        // Set Chunk Size 0.
        handshake + [2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0],
        // A chunk whose header refers to a missing previous one.
        handshake + [0xc5, 1, 2, 3],
        // A string that is longer than its message.
        handshake + [3, 0, 0, 0, 0, 0, 4, 20, 0, 0, 0, 0, 2, 0xff, 0xff, 1],
      ]
      for attack in attacks {
        let wire = try await wire(server)
        wire.send(attack)
        try await eventually("closed: \(attack.suffix(16))") { wire.isClosed }
      }
      #expect(try await server.metric("roomserver_rtmp_malformed_total") == attacks.count)
      #expect(try await server.metric("roomserver_rtmp_connections") == 0)
    }
  }

  @Test("a client that repeats rejected requests is disconnected")
  func manyRequests() async throws {
    try await TestServer.with { server in
      let wire = try await wire(server)
      let app = RoomRTMP.Command("connect", transaction: 1, object: .object(["app": "live"]))
      var bytes = [3] + [UInt8](repeating: 0, count: 3072) + chunk(app, 0)
      bytes += chunk(RoomRTMP.Command("createStream", transaction: 2), 0)
      for number in 0..<10_000 {
        bytes += chunk(RoomRTMP.Command("publish", arguments: [.string("s\(number % 7)?token=x")]), 1)
      }
      wire.send(bytes)
      try await eventually("it is closed") { wire.isClosed }
      #expect((1...10).contains(try await server.metric("roomserver_origin_refused_total{reason=\"token\"}")))
      #expect(try await RTMPPeer.refusal(.play, server, "studio").code == .playStreamNotFound)
    }
  }

  private func chunk(_ command: RoomRTMP.Command, _ stream: UInt32) -> [UInt8] {
    var writer = ChunkWriter()
    var bytes: [UInt8] = []
    writer.write(command.message(on: MessageStreamID(stream)), on: .command, into: &bytes)
    return bytes
  }

  @Test("a viewer that does not read costs little, loses only whole groups, and disturbs no other")
  func stalled() async throws {
    try await TestServer.with {
      open(&$0)
    } _: { server in
      let publisher = try await RTMPPeer.start(.publish, server)
      publisher.sendBeginning()
      let good = try await RTMPPeer.start(.play, server)
      let stalled = try await RTMPPeer.start(.play, server, receiveBuffer: 64 << 10)
      try await eventually("both see it") { stalled.played.count >= 4 && good.played.count >= 4 }
      try await stalled.freeze()
      // 40 s of a stream of 8 Mbit/s, as fast as possible.
      var frames = 0
      for time in stride(from: UInt32(40), to: 40_000, by: 40) {
        publisher.send(LiveSample.video(time, isKeyFrame: time % 2000 == 0, bytes: 40_000), LiveSample.audio(time))
        frames += 1
        if frames % 25 == 0 {
          try await eventually("the good viewer keeps up") { good.played.count(where: { $0.kind == .video }) >= frames }
        }
      }
      try await eventually("the good viewer has all") { good.played.count(where: { $0.kind == .video }) == frames + 2 }
      let sent = try await server.metric("roomserver_origin_bytes_sent_total{protocol=\"rtmp\"}")
      // The allowance covers the kernel's own buffer of a socket that is not read.
      #expect(sent < frames * 41_000 + 12_000_000, "\(sent) bytes")
      #expect(try await server.metric("roomserver_origin_kept_bytes") < 26 << 20)

      try await stalled.freeze(false)
      publisher.send(LiveSample.video(40_000, isKeyFrame: true))
      try await eventually("the stalled one continues") { stalled.played.last?.timestamp == 40_000 }
      let lost = try await server.metric("roomserver_origin_dropped_frames_total")
      #expect(lost > 100, "\(lost) lost, \(stalled.played.count) of \(2 * frames) seen, \(sent) bytes sent")
      var former: UInt32 = 0
      for media in stalled.played.dropFirst(4) where media.kind == .video {
        #expect(
          media.timestamp == former + 40 || LiveSample.isKeyFrame(media),
          "a hole ends at a key frame: \(former) \(media.timestamp)")
        former = media.timestamp
      }
    }
  }
}
