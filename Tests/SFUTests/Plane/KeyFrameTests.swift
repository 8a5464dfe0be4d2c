import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("key frames", .serialized)
struct KeyFrameTests {
  @Test("a subscription begins at a key frame, which is requested, and its numbers have no gap")
  func gate() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.video(ssrc: 1111))
    try await fixture.connected(alice, bob)
    fixture.room.subscribe(
      SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.video(ssrc: 9001, rtx: 9002))
    try await fixture.wait("a key frame request", [alice, bob]) { alice.pictureLosses.contains(1111) }
    for number in 0..<5 as Range<UInt16> {
      alice.sendRTP(payloadType: 96, sequence: number, timestamp: 0, ssrc: 1111, payload: VP8Payload.delta())
    }
    alice.sendRTP(payloadType: 96, sequence: 5, timestamp: 3000, ssrc: 1111, payload: VP8Payload.key("k"))
    alice.sendRTP(payloadType: 96, sequence: 6, timestamp: 6000, ssrc: 1111, payload: VP8Payload.delta("d"))
    try await fixture.wait("two packets", [alice, bob]) { bob.packets.count >= 2 }
    #expect(bob.packets.map(\.payload) == [VP8Payload.key("k"), VP8Payload.delta("d")])
    #expect(bob.packets[1].header.sequenceNumber == bob.packets[0].header.sequenceNumber &+ 1)
    #expect(await fixture.settle()[.awaitingKeyFrame] == 5)
  }

  @Test("packets of the key frame that arrived before its first recognisable one are sent too")
  func parameterSetsAfterPicture() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.video("h264", ssrc: 1111))
    try await fixture.connected(alice, bob)
    fixture.room.subscribe(
      SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.video("h264", ssrc: 9001, rtx: 9002))
    try await fixture.wait("a key frame request", [alice, bob]) { !alice.pictureLosses.isEmpty }
    // A slice of the previous picture; then an access unit delimiter, an IDR slice, and late the SPS that belongs between them.
    alice.sendRTP(payloadType: 96, sequence: 9, timestamp: 0, ssrc: 1111, marker: true, payload: [0x41, 1])
    alice.sendRTP(payloadType: 96, sequence: 10, timestamp: 3000, ssrc: 1111, payload: [0x09, 0x10])
    alice.sendRTP(payloadType: 96, sequence: 12, timestamp: 3000, ssrc: 1111, marker: true, payload: [0x65, 1])
    try await fixture.wait("two packets", [alice, bob]) { bob.packets.count >= 2 }
    alice.sendRTP(payloadType: 96, sequence: 11, timestamp: 3000, ssrc: 1111, payload: [0x67, 0x42])
    try await fixture.wait("three packets", [alice, bob]) { bob.packets.count >= 3 }
    let inOrder = bob.packets.sorted { $0.header.sequenceNumber < $1.header.sequenceNumber }
    #expect(inOrder.map { $0.payload[0] } == [0x09, 0x67, 0x65])
  }

  @Test("ten subscribers' key frame requests become one")
  func merged() async throws {
    var limits = MediaLimits()
    limits.keyFrameInterval = 3_000_000
    let fixture = try Fixture(limits: limits)
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.video(ssrc: 1111))
    try await fixture.connected(alice, bob)
    for number in 0..<10 as Range<UInt32> {
      fixture.room.subscribe(
        SubscriptionID(number), to: MediaTrackID(1), on: bob.id,
        parameters: Parameters.video(mid: "\(number)", ssrc: SSRC(9000 + number), payloadType: 96))
    }
    try await fixture.wait("a key frame request", [alice, bob]) { !alice.pictureLosses.isEmpty }
    bob.sendRTCP { writer in for number in 0..<10 as Range<UInt32> { writer.pictureLoss(sender: 1, media: SSRC(9000 + number)) }
    }
    bob.sendRTCP { writer in
      for number in 0..<10 as Range<UInt32> {
        writer.fullIntraRequest(sender: 1, media: SSRC(9000 + number), sequenceNumber: 1)
      }
    }
    try await fixture.wait("all requests", [alice, bob]) { await fixture.settle().keyFrameRequestsReceived == 20 }
    #expect(alice.pictureLosses == [1111])
    // Without an answer, the request is repeated.
    try await fixture.wait("the second request", [alice, bob]) { alice.pictureLosses.count == 2 }
  }

  @Test("a muted track is not forwarded; unmuted, it continues at a key frame with consecutive numbers")
  func mute() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.video(ssrc: 1111))
    fixture.room.subscribe(
      SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.video(ssrc: 9001, rtx: 9002))
    try await fixture.connected(alice, bob)
    alice.sendRTP(payloadType: 96, sequence: 100, timestamp: 0, ssrc: 1111, payload: VP8Payload.key())
    try await fixture.wait("the first packet", [alice, bob]) { bob.packets.count == 1 }
    fixture.room.setMuted(MediaTrackID(1), true)
    await fixture.settle()
    let asked = alice.pictureLosses.count
    for number in 101..<110 as Range<UInt16> {
      alice.sendRTP(payloadType: 96, sequence: number, timestamp: 3000, ssrc: 1111, payload: VP8Payload.key())
    }
    try await fixture.wait("the muted packets", [alice, bob]) { await fixture.settle()[.muted] == 9 }
    fixture.room.setMuted(MediaTrackID(1), false)
    try await fixture.wait("a key frame request", [alice, bob]) { alice.pictureLosses.count > asked }
    alice.sendRTP(payloadType: 96, sequence: 110, timestamp: 6000, ssrc: 1111, payload: VP8Payload.delta())
    alice.sendRTP(payloadType: 96, sequence: 111, timestamp: 9000, ssrc: 1111, payload: VP8Payload.key("again"))
    try await fixture.wait("the second packet", [alice, bob]) { bob.packets.count == 2 }
    #expect(bob.packets[1].payload == VP8Payload.key("again"))
    #expect(bob.packets[1].header.sequenceNumber == bob.packets[0].header.sequenceNumber &+ 1)
  }

  @Test("a publisher that supports only FIR receives FIR")
  func byFullIntraRequest() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.video(ssrc: 1111, feedback: [.fir]))
    try await fixture.connected(alice, bob)
    fixture.room.subscribe(SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.video(ssrc: 9001))
    try await fixture.wait("a request", [alice, bob]) { alice.fullIntraRequests.contains(1111) }
    #expect(alice.pictureLosses.isEmpty)
  }
}
