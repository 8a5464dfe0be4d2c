import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("streams", .serialized)
struct StreamTests {
  @Test("a stream that was not signalled is recognised by its mid, or by its payload type if that is unique")
  func learned() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.audio(mid: "a", ssrc: nil))
    fixture.room.publish(MediaTrackID(2), on: alice.id, parameters: Parameters.audio(mid: "b", ssrc: nil))
    fixture.room.publish(MediaTrackID(3), on: alice.id, parameters: Parameters.video(mid: "c", ssrc: nil))
    for number in 1...3 as ClosedRange<UInt32> {
      let parameters =
        number == 3
        ? Parameters.video(mid: "c", ssrc: 9003) : Parameters.audio(mid: "\(number)", ssrc: SSRC(9000 + number))
      fixture.room.subscribe(SubscriptionID(number), to: MediaTrackID(number), on: bob.id, parameters: parameters)
    }
    try await fixture.connected(alice, bob)
    alice.sendRTP(payloadType: 111, sequence: 1, timestamp: 0, ssrc: 51, payload: [1], mid: (1, "a"))
    alice.sendRTP(payloadType: 111, sequence: 1, timestamp: 0, ssrc: 52, payload: [2], mid: (1, "b"))
    alice.sendRTP(payloadType: 111, sequence: 2, timestamp: 0, ssrc: 52, payload: [2])
    alice.sendRTP(payloadType: 96, sequence: 1, timestamp: 0, ssrc: 53, payload: VP8Payload.key())
    alice.sendRTP(payloadType: 111, sequence: 1, timestamp: 0, ssrc: 54, payload: [4], mid: (1, "z"))
    alice.sendRTP(payloadType: 111, sequence: 1, timestamp: 0, ssrc: 55, payload: [5])
    alice.sendRTP(payloadType: 77, sequence: 1, timestamp: 0, ssrc: 56, payload: [6])
    try await fixture.wait("four packets", [alice, bob]) { bob.packets.count >= 4 }
    #expect(bob.packets.map(\.header.ssrc).sorted() == [9001, 9002, 9002, 9003])
    try await fixture.wait("the rest is dropped", [alice, bob]) { await fixture.settle()[.unknownSSRC] == 3 }
  }

  @Test("a publisher that restarts with another SSRC continues for its subscribers without a gap")
  func newSource() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.audio(mid: "a", ssrc: 51))
    fixture.room.subscribe(SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.audio(ssrc: 9001))
    try await fixture.connected(alice, bob)
    for number in 0..<3 as Range<UInt16> {
      alice.sendRTP(payloadType: 111, sequence: 40_000 + number, timestamp: 7_000_000, ssrc: 51, payload: [1])
    }
    try await fixture.wait("the first", [alice, bob]) { bob.packets.count == 3 }
    for number in 0..<3 as Range<UInt16> {
      alice.sendRTP(
        payloadType: 111, sequence: 90 + number, timestamp: 100 + 960 * UInt32(number), ssrc: 52, payload: [2], mid: (1, "a"))
    }
    try await fixture.wait("the second", [alice, bob]) { bob.packets.count == 6 }
    let first = bob.packets[0].header.sequenceNumber
    #expect(bob.packets.map { $0.header.sequenceNumber &- first } == [0, 1, 2, 3, 4, 5])
    let passed = bob.packets[3].header.timestamp &- bob.packets[2].header.timestamp
    #expect((1..<20 * 48_000).contains(passed), "by the time that passed")
    #expect(bob.packets[4].header.timestamp &- bob.packets[3].header.timestamp == 960)
  }

  @Test("sequence numbers continue over the 16-bit wrap, for the subscriber's rollover counter too")
  func wrap() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.audio(ssrc: 51))
    fixture.room.subscribe(SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.audio(ssrc: 9001))
    try await fixture.connected(alice, bob)
    // Steps that count as losses pass the wrap. No single step is longer than the ring.
    var number: UInt16 = 0
    var sent = 0
    for _ in 0..<1100 {
      alice.sendRTP(payloadType: 111, sequence: number, timestamp: 0, ssrc: 51, payload: [UInt8(sent & 0xFF)])
      number &+= 63
      sent += 1
      if sent % 20 == 0 { try await fixture.wait("all so far", [alice, bob]) { bob.packets.count == sent } }
    }
    let first = bob.packets[0].header.sequenceNumber
    for (index, packet) in bob.packets.enumerated() {
      #expect(packet.payload == [UInt8(index & 0xFF)])
      #expect(packet.header.sequenceNumber == first &+ UInt16(truncatingIfNeeded: index * 63))
    }
  }

  @Test("a new subscription with the same SSRC continues its sequence numbers")
  func retired() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.audio(ssrc: 51))
    fixture.room.subscribe(SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.audio(ssrc: 9001))
    try await fixture.connected(alice, bob)
    alice.sendRTP(payloadType: 111, sequence: 1, timestamp: 0, ssrc: 51, payload: [1])
    try await fixture.wait("the first", [alice, bob]) { bob.packets.count == 1 }
    fixture.room.unsubscribe(SubscriptionID(1))
    try await fixture.wait("goodbye", [alice, bob]) { bob.goodbyes == [9001] }
    fixture.room.subscribe(SubscriptionID(2), to: MediaTrackID(1), on: bob.id, parameters: Parameters.audio(ssrc: 9001))
    await fixture.settle()
    alice.sendRTP(payloadType: 111, sequence: 2, timestamp: 0, ssrc: 51, payload: [2])
    try await fixture.wait("the second", [alice, bob]) { bob.packets.count == 2 }
    #expect(bob.packets[1].header.sequenceNumber == bob.packets[0].header.sequenceNumber &+ 1)
  }

  @Test(
    "a stream that continues switches tracks: one SSRC, no gap in numbers, timestamps advanced by the time that passed")
  func continues() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let carol = try TestClient(3, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    let received = Parameters.video("vp8", ssrc: 9001, payloadType: 100)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.video("vp8", ssrc: 51))
    fixture.room.publish(MediaTrackID(2), on: carol.id, parameters: Parameters.video("vp8", ssrc: 61))
    fixture.room.subscribe(SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: received, continues: true)
    try await fixture.connected(alice, bob, carol)
    alice.sendRTP(payloadType: 96, sequence: 7, timestamp: 5000, ssrc: 51, payload: VP8Payload.key())
    try await fixture.wait("the first track", [alice, bob]) { bob.packets.count == 1 }

    fixture.room.unpublish(MediaTrackID(1))
    fixture.room.subscribe(SubscriptionID(2), to: MediaTrackID(2), on: bob.id, parameters: received, continues: true)
    try await fixture.wait("a key frame request", [bob, carol]) { carol.pictureLosses.contains(61) }
    carol.sendRTP(payloadType: 96, sequence: 900, timestamp: 4_000_000_000, ssrc: 61, payload: VP8Payload.delta())
    carol.sendRTP(payloadType: 96, sequence: 901, timestamp: 4_000_003_000, ssrc: 61, payload: VP8Payload.key())
    carol.sendRTP(payloadType: 96, sequence: 902, timestamp: 4_000_006_000, ssrc: 61, payload: VP8Payload.delta())
    try await fixture.wait("the second track", [bob, carol]) { bob.packets.count == 3 }
    let first = bob.packets[0].header
    #expect(bob.packets.map { $0.header.sequenceNumber &- first.sequenceNumber } == [0, 1, 2])
    #expect(bob.packets.allSatisfy { $0.header.ssrc == 9001 })
    let passed = bob.packets[1].header.timestamp &- first.timestamp
    #expect((1..<20 * 90_000).contains(passed), "by the time that passed")
    #expect(bob.packets[2].header.timestamp &- bob.packets[1].header.timestamp == 3000)
    #expect(bob.goodbyes.isEmpty)

    // This subscription sent nothing, but the end of the stream is still known.
    fixture.room.unsubscribe(SubscriptionID(2))
    fixture.room.publish(MediaTrackID(3), on: alice.id, parameters: Parameters.video("vp8", ssrc: 71))
    fixture.room.subscribe(SubscriptionID(3), to: MediaTrackID(3), on: bob.id, parameters: received, continues: true)
    fixture.room.unsubscribe(SubscriptionID(3))
    fixture.room.subscribe(SubscriptionID(4), to: MediaTrackID(2), on: bob.id, parameters: received, continues: true)
    await fixture.settle()
    carol.sendRTP(payloadType: 96, sequence: 903, timestamp: 4_000_009_000, ssrc: 61, payload: VP8Payload.key())
    try await fixture.wait("the second track again", [bob, carol]) { bob.packets.count == 4 }
    #expect(bob.packets[3].header.sequenceNumber == bob.packets[2].header.sequenceNumber &+ 1)
    #expect((1..<20 * 90_000).contains(bob.packets[3].header.timestamp &- bob.packets[2].header.timestamp))
  }

  @Test("a publisher that changes its codec is forwarded with the receiver's payload type for it")
  func codecChange() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    var published = Parameters.video("vp8", ssrc: 51)
    published.codecs += Parameters.video("h264", ssrc: nil, payloadType: 98).codecs
    var subscribed = Parameters.video("h264", ssrc: 9001, payloadType: 102)
    subscribed.codecs += Parameters.video("vp8", ssrc: nil, payloadType: 100).codecs
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: published)
    fixture.room.subscribe(SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: subscribed)
    try await fixture.connected(alice, bob)
    alice.sendRTP(payloadType: 96, sequence: 1, timestamp: 0, ssrc: 51, payload: VP8Payload.key())
    alice.sendRTP(payloadType: 98, sequence: 2, timestamp: 0, ssrc: 51, payload: [0x67, 1])
    alice.sendRTP(payloadType: 99, sequence: 3, timestamp: 0, ssrc: 51, payload: [0x67, 1])
    try await fixture.wait("both", [alice, bob]) { bob.packets.count == 2 }
    #expect(bob.packets.map(\.header.payloadType) == [100, 102])
    try await fixture.wait("the drop", [alice, bob]) { await fixture.settle()[.unknownPayloadType] == 1 }
    #expect(await fixture.room.statistics().tracks[MediaTrackID(1)]?.codec == "h264")
  }
}
