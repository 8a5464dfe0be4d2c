import Glibc
import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

extension MediaRoom {
  /// The candidates that are reachable only by TCP.
  var tcpCandidates: [ICECandidate] { candidates.filter(\.address.isTCP) }
}

@Suite("Clients over TCP", .serialized)
struct TCPTests {
  @Test("TCP candidates are passive, on UDP's ports, and have a lower priority than any UDP candidate")
  func candidates() throws {
    let fixture = try Fixture(.init(workers: 1, bind: ["127.0.0.1", "127.0.0.2"]))
    let all = fixture.room.candidates
    #expect(all.map(\.address.isTCP) == [false, false, true, true])
    #expect(Set(all.map(\.address.port)).count == 1)
    #expect(Set(all.map(\.foundation)).count == 4)
    #expect(all.map(\.priority) == all.map(\.priority).sorted(by: >))
    // RFC 8445 §5.1.2.1: server-reflexive UDP has a type preference of 100.
    #expect(all[2].priority < 100 << 24)
    #expect(all[2].attribute == "3 1 tcp \(all[2].priority) 127.0.0.1 \(all[2].address.port) typ host tcptype passive")
    #expect(ICECandidate(attribute: all[2].attribute) == all[2])
    let without = try MediaPlane(.init(workers: 1, tcp: false))
    #expect(without.openRoom { _ in }.tcpCandidates.isEmpty)
  }

  @Test("media flows from TCP to UDP and from UDP to TCP", arguments: [1, Int.max])
  func mixed(bytesPerWrite: Int) async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane, at: fixture.room.tcpCandidates)
    alice.wire.bytesPerWrite = bytesPerWrite
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    for (client, number) in [(alice, 1), (bob, 2)] as [(TestClient, UInt32)] {
      fixture.room.publish(MediaTrackID(number), on: client.id, parameters: Parameters.audio(ssrc: SSRC(1000 + number)))
    }
    try await fixture.connected(alice, bob)
    fixture.room.subscribe(
      SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.audio(mid: "a", ssrc: 9001))
    fixture.room.subscribe(
      SubscriptionID(2), to: MediaTrackID(2), on: alice.id, parameters: Parameters.audio(mid: "b", ssrc: 9002))
    await fixture.settle()
    for number in 0..<100 as Range<UInt16> {
      for (client, ssrc) in [(alice, 1001), (bob, 1002)] as [(TestClient, SSRC)] {
        client.sendRTP(
          payloadType: 111, sequence: number, timestamp: 960 * UInt32(number), ssrc: ssrc, payload: [UInt8(number), 7])
      }
      if number % 10 == 0 { alice.wire.sendRaw([0, 0]) }
    }
    try await fixture.wait("all packets", [alice, bob]) { alice.packets.count >= 100 && bob.packets.count >= 100 }
    #expect(alice.packets.map(\.payload) == (0..<100).map { [UInt8($0), 7] })
    #expect(bob.packets.map(\.payload) == (0..<100).map { [UInt8($0), 7] })
    let statistics = await fixture.room.statistics()
    #expect(statistics.transports[alice.id]?.remoteAddress == "tcp \(alice.address)")
    let counters = await fixture.settle()
    #expect(counters.tcpConnections == 1 && counters.tcpAccepted == 1)
    #expect(counters.tcpBytesReceived > 100 * 30 && counters.tcpBytesSent > 100 * 30)
    #expect(counters.tcpMalformed == 0 && counters[.tcpQueueFull] == 0)
  }

  @Test("one address and port over UDP and over TCP are two clients")
  func sameAddress() async throws {
    let fixture = try Fixture()
    let datagrams = try TestClient(1, in: fixture.room, of: fixture.plane)
    let stream = try TestClient(
      2, in: fixture.room, of: fixture.plane, at: fixture.room.tcpCandidates, sharingPortOf: datagrams)
    #expect(datagrams.address == stream.address)
    try await fixture.connected(datagrams, stream)
    let statistics = await fixture.room.statistics()
    #expect(statistics.transports[datagrams.id]?.remoteAddress == datagrams.address.description)
    #expect(statistics.transports[stream.id]?.remoteAddress == "tcp \(stream.address)")
  }

  @Test("a client whose connection breaks continues over the next one, without another handshake")
  func reconnect() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane, at: fixture.room.tcpCandidates)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.audio(ssrc: 1111))
    try await fixture.connected(alice, bob)
    fixture.room.subscribe(SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.audio(ssrc: 9001))
    await fixture.settle()
    bob.wire.reset()
    try await fixture.wait("the connection is gone", [alice]) { await fixture.settle().tcpConnections == 0 }
    // Packets sent meanwhile are dropped without harm.
    alice.sendRTP(payloadType: 111, sequence: 1, timestamp: 960, ssrc: 1111, payload: [1])
    try await fixture.wait("it was dropped", [alice]) { await fixture.settle()[.notConnected] > 0 }
    try bob.reconnect()
    var number: UInt16 = 2
    try await fixture.wait("media over the new connection", [alice, bob]) {
      alice.sendRTP(payloadType: 111, sequence: number, timestamp: 960 * UInt32(number), ssrc: 1111, payload: [2])
      number += 1
      return !bob.packets.isEmpty
    }
    #expect(bob.events.count { if case .connected = $0 { true } else { false } } == 1)
    #expect(!fixture.events.contains(.transportDisconnected(bob.id)))
  }

  @Test("a client that reads slowly loses video up to a key frame, and no audio")
  func slowReader() async throws {
    var limits = MediaLimits()
    limits.tcpQueueBytes = 65_536
    let fixture = try Fixture(limits: limits)
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(
      2, in: fixture.room, of: fixture.plane, at: fixture.room.tcpCandidates, receiveBuffer: 4096)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.video(ssrc: 1111))
    fixture.room.publish(MediaTrackID(2), on: alice.id, parameters: Parameters.audio(ssrc: 2222))
    try await fixture.connected(alice, bob)
    fixture.room.subscribe(
      SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.video(mid: "v", ssrc: 9001))
    fixture.room.subscribe(
      SubscriptionID(2), to: MediaTrackID(2), on: bob.id, parameters: Parameters.audio(mid: "a", ssrc: 9002))
    await fixture.settle()

    var video: UInt16 = 0
    var audio: UInt16 = 0
    func picture(key: Bool) {
      alice.sendRTP(
        payloadType: 96, sequence: video, timestamp: 3000 * UInt32(video), ssrc: 1111, marker: true,
        payload: (key ? VP8Payload.key() : VP8Payload.delta()) + [UInt8](repeating: 0, count: 1000))
      video += 1
    }
    func sound() {
      alice.sendRTP(payloadType: 111, sequence: audio, timestamp: 960 * UInt32(audio), ssrc: 2222, payload: [1, 2, 3])
      audio += 1
    }
    bob.wire.isReading = false
    picture(key: true)
    // More than the queue and both kernels' buffers can store.
    try await fixture.wait("video is dropped", [alice, bob]) {
      for _ in 0..<20 { picture(key: false) }
      sound()
      return await fixture.settle()[.lagging] > 100
    }
    let asked = alice.pictureLosses.count
    for _ in 0..<20 { picture(key: false) }
    await fixture.settle()
    alice.pump()
    #expect(alice.pictureLosses.count == asked, "no key frame is requested that could not be sent")

    bob.wire.isReading = true
    try await fixture.wait("a key frame is requested", [alice, bob]) { alice.pictureLosses.count > asked }
    let before = bob.packets.count { $0.header.ssrc == 9001 }
    picture(key: true)
    picture(key: false)
    sound()
    try await fixture.wait("video continues", [alice, bob]) { bob.packets.count { $0.header.ssrc == 9001 } >= before + 2 }
    try await fixture.wait("all audio", [alice, bob]) { bob.packets.count { $0.header.ssrc == 9002 } == Int(audio) }
    let numbers = bob.packets.filter { $0.header.ssrc == 9001 }.map(\.header.sequenceNumber)
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 &- $0 < 0x8000 }, "in order")
    #expect(Int(video) > numbers.count + 100)
    #expect(await fixture.settle()[.tcpQueueFull] > 0)
  }

  @Test("a transport that closes sends close_notify and closes its connection")
  func closing() async throws {
    let fixture = try Fixture()
    let client = try TestClient(1, in: fixture.room, of: fixture.plane, at: fixture.room.tcpCandidates)
    try await fixture.connected(client)
    fixture.room.closeTransport(client.id)
    try await fixture.wait("the end", [client]) { client.wire.isClosed }
    #expect(client.events.contains { if case .closed = $0 { true } else { false } })
    #expect(await fixture.settle().tcpConnections == 0)
  }
}
