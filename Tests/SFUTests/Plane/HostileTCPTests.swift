import RoomCLinux
import Glibc
import RoomRTP
import RoomTestSupport
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("Hostile TCP connections", .serialized)
struct HostileTCPTests {
  private static func limits(proofTime: Int64 = 300_000, perAddress: Int = 64, total: Int = 128) -> MediaLimits {
    var limits = MediaLimits()
    limits.tcpProofTime = proofTime
    limits.tcpUnprovenPerAddress = perAddress
    limits.tcpConnectionsPerWorker = total
    return limits
  }

  private func address(of fixture: Fixture) throws -> TransportAddress {
    try #require(fixture.room.tcpCandidates.first).address
  }

  @Test("10,000 silent connections are limited, timed out and counted, and a client still connects")
  func silent() async throws {
    // The limit per address would hide the others, because all of these connections come from one address.
    let fixture = try Fixture(limits: Self.limits(proofTime: 3_000_000, perAddress: 100_000))
    let server = try address(of: fixture)
    let descriptors = linux_open_descriptors()
    var open: [TestWire] = []
    var client: TestClient?
    for number in 0..<10_000 {
      // Enough stay open to keep the table full. More would only use up this process's descriptors.
      if open.count == 300 { open.removeFirst() }
      open.append(try TestWire(to: server))
      if number == 5000 {
        client = try TestClient(1, in: fixture.room, of: fixture.plane, at: fixture.room.tcpCandidates)
      }
      client?.pump()
      // Not faster than they are accepted, because connections that wait in the kernel are no load.
      if number % 64 == 0 { #expect(await fixture.settle().tcpConnections <= 128) }
    }
    let connected = try #require(client)
    try await fixture.connected(connected)
    try await fixture.wait("all silent ones are closed", [connected]) { await fixture.settle().tcpConnections == 1 }
    let counters = await fixture.settle()
    #expect(counters.tcpAccepted > 9000, "each was accepted, at the cost of an older one")
    #expect(counters.tcpSilent + counters.tcpRefused > 5000)
    #expect(connected.isConnected && !connected.wire.isClosed)
    open.removeAll()
    #expect(linux_open_descriptors() < descriptors + 100)
  }

  @Test("connections from one address have their own limit until they are proven")
  func perAddress() async throws {
    let fixture = try Fixture(limits: Self.limits(proofTime: 60_000_000, perAddress: 8))
    let server = try address(of: fixture)
    let silent = try (0..<20).map { _ in try TestWire(to: server) }
    try await fixture.wait("the others are refused", []) { await fixture.settle().tcpRefused == 12 }
    #expect(await fixture.settle().tcpConnections == 8)
    try await fixture.wait("the close is received", []) {
      for wire in silent { _ = wire.receive() }
      return silent.count(where: \.isClosed) == 12
    }
    for wire in silent { wire.reset() }
    try await fixture.wait("all gone", []) { await fixture.settle().tcpConnections == 0 }
    // Proven clients do not count.
    var clients: [TestClient] = []
    for number in 1...12 as ClosedRange<UInt32> {
      clients.append(try TestClient(number, in: fixture.room, of: fixture.plane, at: fixture.room.tcpCandidates))
      try await fixture.wait("client \(number)", clients) { clients.allSatisfy(\.isConnected) }
    }
  }

  @Test(
    "a connection that sends no valid check in time is closed, whatever else it sends",
    arguments: [[], [0], [0, 20], [0, 20, 0, 1], [0, 0, 0, 0, 0, 0], [0, 3, 0, 1, 2]] as [[UInt8]])
  func unproven(bytes: [UInt8]) async throws {
    let fixture = try Fixture(limits: Self.limits())
    let wire = try TestWire(to: try address(of: fixture))
    wire.sendRaw(bytes)
    try await fixture.wait("it is closed", []) {
      _ = wire.receive()
      return wire.isClosed
    }
    let counters = await fixture.settle()
    #expect(counters.tcpConnections == 0 && counters.tcpSilent == 1 && counters.tcpMalformed == 0)
  }

  @Test(
    "a first frame that is not a check, or is too long, closes the connection at once",
    arguments: [Array("GET / HTTP/1.1\r\n\r\n".utf8), [0, 2, 0x80, 0x60], [0, 1, 22], [0xFF, 0xFF]] as [[UInt8]])
  func malformed(bytes: [UInt8]) async throws {
    let fixture = try Fixture(limits: Self.limits(proofTime: 60_000_000))
    let wire = try TestWire(to: try address(of: fixture))
    wire.sendRaw(bytes)
    try await fixture.wait("it is closed", []) {
      _ = wire.receive()
      return wire.isClosed
    }
    #expect(await fixture.settle().tcpMalformed == 1)
  }

  @Test("a check with a wrong password does not prove the connection")
  func wrongPassword() async throws {
    let fixture = try Fixture(limits: Self.limits(proofTime: 1_000_000))
    let candidates = fixture.room.tcpCandidates
    let victim = try TestClient(1, in: fixture.room, of: fixture.plane)
    try await fixture.connected(victim)
    var configuration = Peer.Configuration(
      ice: .full(controlling: true), role: .client, certificate: try Certificate(), credentials: .random())
    configuration.usesTCP = true
    let thief = try Peer(configuration)
    let wire = try TestWire(to: try address(of: fixture))
    var guess = victim.serverCredentials
    guess.password = String(guess.password.reversed())
    thief.setRemote(
      TransportParameters(
        credentials: guess, fingerprints: [fixture.plane.fingerprint], role: .server, iceLite: true, candidates: candidates),
      now: TestClient.now)
    try await fixture.wait("it is closed", [victim]) {
      thief.advance(to: TestClient.now)
      while let output = thief.nextOutput() { if case .transmit(let bytes, _) = output { wire.send(bytes) } }
      while wire.receive() != nil {}
      return wire.isClosed
    }
    #expect(await fixture.settle().tcpSilent == 1)
    #expect(!fixture.events.contains(.transportDisconnected(victim.id)))
  }

  @Test("connections that are reset in the middle of a frame leave nothing behind")
  func resets() async throws {
    let fixture = try Fixture(limits: Self.limits(proofTime: 60_000_000))
    let server = try address(of: fixture)
    let descriptors = linux_open_descriptors()
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<300 {
      let wire = try TestWire(to: server)
      let length = Int.random(in: 1...1600, using: &generator)
      let header = StreamFraming.header(length: length)
      wire.sendRaw([header.0, header.1] + [UInt8](repeating: 0, count: Int.random(in: 0..<length, using: &generator)))
      await fixture.settle()
      wire.reset()
    }
    try await fixture.wait("all gone", []) { await fixture.settle().tcpConnections == 0 }
    #expect(linux_open_descriptors() < descriptors + 20, "other tests may open some meanwhile")
    let client = try TestClient(1, in: fixture.room, of: fixture.plane, at: fixture.room.tcpCandidates)
    try await fixture.connected(client)
  }

  @Test("random frames on a proven connection do no harm", arguments: [1, 2, 3] as [UInt64])
  func noise(seed: UInt64) async throws {
    let fixture = try Fixture()
    var generator = SeededGenerator(seed: seed)
    let client = try TestClient(1, in: fixture.room, of: fixture.plane, at: fixture.room.tcpCandidates)
    let other = try TestClient(2, in: fixture.room, of: fixture.plane)
    try await fixture.connected(client, other)
    for _ in 0..<2000 {
      var bytes = (0..<Int.random(in: 0...200, using: &generator)).map { _ in UInt8.random(in: .min ... .max, using: &generator)
      }
      if let first = ([0, 22, 0x80, 0x90] as [UInt8]).randomElement(using: &generator), !bytes.isEmpty { bytes[0] = first }
      client.wire.send(bytes)
    }
    await fixture.settle()
    try await fixture.wait("the frames are read", [client, other]) { await fixture.settle().packetsReceived > 1500 }
    #expect(await fixture.settle().tcpConnections == 1)
    #expect(!fixture.events.contains(.transportDisconnected(other.id)))
  }

  @Test("a client's connection is closed when no more input arrives")
  func idle() async throws {
    var limits = Self.limits(proofTime: 20_000_000)
    limits.tcpIdleTime = 500_000
    let fixture = try Fixture(limits: limits)
    let client = try TestClient(1, in: fixture.room, of: fixture.plane, at: fixture.room.tcpCandidates)
    try await fixture.connected(client)
    // The client sends nothing more, because its loop does not run.
    try await fixture.wait("it is closed", []) { await fixture.settle().tcpConnections == 0 }
    #expect(await fixture.settle().tcpSilent == 0)
  }

  @Test("a transport has at most four connections: a fifth closes the oldest")
  func connectionsOfOneTransport() async throws {
    let fixture = try Fixture()
    let client = try TestClient(1, in: fixture.room, of: fixture.plane, at: fixture.room.tcpCandidates)
    try await fixture.connected(client)
    var wires = [client.wire]
    for _ in 0..<TransportSlot.maximumAddresses {
      let count = await fixture.settle().tcpAccepted
      try client.reconnect()
      let sent = client.wire
      wires.append(sent)
      try await fixture.wait("the next is proven", [client]) {
        await fixture.settle().tcpAccepted == count + 1 && client.peer.remoteAddress != nil && sent.hasHeard
      }
    }
    try await fixture.wait("the first is closed", [client]) {
      _ = wires[0].receive()
      return wires[0].isClosed
    }
    #expect(!wires.dropFirst().contains { $0.isClosed })
    #expect(await fixture.settle().tcpConnections == TransportSlot.maximumAddresses)
  }
}
