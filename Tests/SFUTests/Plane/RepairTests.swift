import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("repair", .serialized)
struct RepairTests {
  /// Lets Alice publish three packets of VP8 to Bob.
  private func flowing(
    _ fixture: Fixture, _ alice: TestClient, _ bob: TestClient, published: RTPParameters, subscribed: RTPParameters
  ) async throws {
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: published)
    fixture.room.subscribe(SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: subscribed)
    try await fixture.connected(alice, bob)
    for number in 0..<3 as Range<UInt16> {
      alice.sendRTP(
        payloadType: 96, sequence: 65_535 &+ number, timestamp: 3000 * UInt32(number), ssrc: 1111, marker: true,
        payload: number == 0 ? VP8Payload.key("0") : VP8Payload.delta("\(number)"))
    }
    try await fixture.wait("three packets", [alice, bob]) { bob.packets.count == 3 }
  }

  @Test("a NACK is answered by RTX under its own SSRC and numbers, once per round trip")
  func retransmission() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    try await flowing(
      fixture, alice, bob, published: Parameters.video(ssrc: 1111),
      subscribed: Parameters.video(ssrc: 9001, rtx: 9002, payloadType: 100))
    let lost = bob.packets[1]
    bob.sendRTCP { writer in
      writer.nack(sender: 1, media: 9001, sequenceNumbers: [lost.header.sequenceNumber])
      writer.nack(sender: 1, media: 9001, sequenceNumbers: [lost.header.sequenceNumber])
    }
    try await fixture.wait("the repair", [alice, bob]) { bob.packets.count == 4 }
    let repair = bob.packets[3]
    #expect(repair.header.ssrc == 9002)
    #expect(repair.header.payloadType == 101)
    #expect(repair.header.timestamp == lost.header.timestamp)
    #expect(repair.header.marker)
    let number = lost.header.sequenceNumber
    #expect(repair.payload == [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] + lost.payload)
    let counters = await fixture.settle()
    #expect(counters.retransmitted == 1)
    #expect(counters[.nackThrottled] == 1)
  }

  @Test("without RTX the same bytes are sent again")
  func plainResend() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    try await flowing(
      fixture, alice, bob, published: Parameters.video(ssrc: 1111), subscribed: Parameters.video(mid: "m", ssrc: 9001))
    // SRTP drops a replayed packet, so the datagrams are compared as received.
    let first = try #require(bob.datagrams.first { $0.count > 3 && $0[0] >> 6 == 2 && $0[1] & 0x7F == 96 })
    #expect(bob.packets[0].values(Parameters.extensionIDs).absSendTime == nil)
    #expect(bob.packets[0].mid(Parameters.extensionIDs) == "m")
    bob.sendRTCP { writer in
      writer.nack(sender: 1, media: 9001, sequenceNumbers: [bob.packets[0].header.sequenceNumber])
    }
    try await fixture.wait("the same datagram", [alice, bob]) { bob.datagrams.filter { $0 == first }.count == 2 }
    #expect(bob.packets.count == 3)
  }

  @Test("a missing packet is requested, and its RTX repair reaches the subscriber under its own number")
  func upstream() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    try await flowing(
      fixture, alice, bob, published: Parameters.video(ssrc: 1111, rtx: 1112),
      subscribed: Parameters.video(ssrc: 9001, rtx: 9002))
    // 2 is lost, 3 arrives.
    alice.sendRTP(payloadType: 96, sequence: 3, timestamp: 12_000, ssrc: 1111, payload: VP8Payload.delta("3"))
    try await fixture.wait("a NACK", [alice, bob]) { alice.nacks.contains { $0.media == 1111 && $0.numbers == [2] } }
    alice.sendRTP(
      payloadType: 97, sequence: 500, timestamp: 9000, ssrc: 1112, marker: true, payload: [0, 2] + VP8Payload.delta("2"))
    try await fixture.wait("all packets", [alice, bob]) { bob.packets.count == 5 }
    let numbers = bob.packets.map { $0.header.sequenceNumber &- bob.packets[0].header.sequenceNumber }
    #expect(numbers == [0, 1, 2, 4, 3])
    #expect(bob.packets[4].payload == VP8Payload.delta("2"))
    #expect(bob.packets[4].header.ssrc == 9001)
  }

  @Test("a packet that was never sent, or is no longer stored, is not retransmitted")
  func misses() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    try await flowing(
      fixture, alice, bob, published: Parameters.video(ssrc: 1111), subscribed: Parameters.video(ssrc: 9001, rtx: 9002))
    let first = bob.packets[0].header.sequenceNumber
    bob.sendRTCP { writer in
      writer.nack(sender: 1, media: 9001, sequenceNumbers: [first &- 1])
      writer.nack(sender: 1, media: 9001, sequenceNumbers: [first &+ 3])
      writer.nack(sender: 1, media: 4711, sequenceNumbers: [first])
    }
    try await fixture.wait("the misses", [alice, bob]) { await fixture.settle()[.historyMiss] == 2 }
    #expect(await fixture.settle().retransmitted == 0)
  }
}
