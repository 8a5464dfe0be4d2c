import RoomRTP
import RoomTestSupport
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("bad input", .serialized)
struct BadInputTests {
  @Test("a client whose certificate does not match its fingerprint is refused")
  func wrongCertificate() async throws {
    let fixture = try Fixture()
    let mallory = try TestClient(1, in: fixture.room, of: fixture.plane, told: try Certificate())
    try await fixture.wait("the refusal", [mallory]) { fixture.events.contains(.transportFailed(mallory.id, .fingerprint)) }
    #expect(!fixture.events.contains(.transportConnected(mallory.id)))
    #expect(await fixture.settle().connectedTransports == 0)
  }

  @Test("a replayed packet is dropped and counted")
  func replay() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.audio(ssrc: 2222))
    fixture.room.subscribe(SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.audio(ssrc: 9003))
    try await fixture.connected(alice, bob)
    alice.sendRTP(payloadType: 111, sequence: 1, timestamp: 0, ssrc: 2222, payload: [1])
    let packet = alice.lastSent
    alice.send(packet)
    var changed = packet
    changed[changed.count - 1] ^= 1
    alice.send(changed)
    alice.sendRTP(payloadType: 111, sequence: 2, timestamp: 960, ssrc: 2222, payload: [2])
    try await fixture.wait("two packets", [alice, bob]) { bob.packets.count >= 2 }
    #expect(bob.packets.map(\.payload) == [[1], [2]])
    let counters = await fixture.settle()
    #expect(counters[.replay] + counters[.authentication] == 2)
    #expect(counters[.replay] >= 1)
  }

  @Test("another address can't send a connected client's packets")
  func foreignAddress() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let eve = try TestClient(2, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.audio(ssrc: 2222))
    try await fixture.connected(alice)
    alice.sendRTP(payloadType: 111, sequence: 1, timestamp: 0, ssrc: 2222, payload: [1])
    try await fixture.wait("the packet", [alice]) { await fixture.room.statistics().tracks[MediaTrackID(1)]?.packets == 1 }
    eve.send(alice.lastSent)
    try await fixture.wait("the drop", [alice]) { await fixture.settle()[.unknownAddress] >= 1 }
    #expect(await fixture.room.statistics().tracks[MediaTrackID(1)]?.packets == 1)
  }

  @Test("random datagrams, known and unknown kinds, change nothing", arguments: [1, 2, 3] as [UInt64])
  func random(seed: UInt64) async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    let eve = try TestClient(3, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.audio(ssrc: 2222))
    fixture.room.subscribe(SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.audio(ssrc: 9003))
    try await fixture.connected(alice, bob)
    var generator = SeededGenerator(seed: seed)
    for round in 0..<2000 {
      var bytes = [UInt8](repeating: 0, count: Int.random(in: 0...1700, using: &generator))
      for index in bytes.indices { bytes[index] = UInt8.random(in: 0...255, using: &generator) }
      let kinds: [UInt8] = [0, 1, 20, 22, 23, 128, 129, 144, 200]
      if let first = kinds.randomElement(using: &generator), !bytes.isEmpty {
        bytes[0] = first
      }
      // From an unknown address, and from a client's own validated address.
      (round % 2 == 0 ? eve : bob).send(bytes)
      // A valid header with a random payload.
      let plain = Array(bytes.prefix(1000))
      bob.sendRTCP { writer in
        writer.receiverReport(ssrc: SSRC(.random(in: 0...9010, using: &generator)))
        writer.nack(sender: 1, media: 9003, sequenceNumbers: [UInt16.random(in: 0...(.max), using: &generator)])
      }
      alice.sendRTP(
        payloadType: UInt8.random(in: 0...127, using: &generator), sequence: UInt16.random(in: 0...(.max), using: &generator),
        timestamp: 0, ssrc: SSRC(.random(in: 2220...2224, using: &generator)), payload: plain)
      if round % 50 == 0 { alice.pump(); bob.pump(); await fixture.settle() }
    }
    bob.packets = []
    // The noise may have left any number as the highest. Steps small enough to count as losses reach the numbers that the
    // sender's SRTP accepts.
    var number: UInt16 = 0
    try await fixture.wait("media still flows", [alice, bob]) {
      alice.sendRTP(payloadType: 111, sequence: number, timestamp: 0, ssrc: 2222, payload: [7, 7])
      number &+= 37
      return bob.packets.contains { $0.payload == [7, 7] }
    }
    let counters = await fixture.settle()
    #expect(counters.transports == 3)
    #expect(counters.connectedTransports == 2)
  }
}
