import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("forwarding", .serialized)
struct ForwardingTests {
  @Test(
    "published packets are received with the subscriber's own SSRC, payload type, mid and numbers",
    arguments: [SRTPProfile.aeadAES128GCM, .aesCM128HMACSHA1_80])
  func forwards(profile: SRTPProfile) async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane, profiles: [profile])
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane, profiles: [profile])
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.video(ssrc: 1111))
    fixture.room.publish(MediaTrackID(2), on: alice.id, parameters: Parameters.audio(ssrc: 2222))
    try await fixture.connected(alice, bob)
    fixture.room.subscribe(
      SubscriptionID(1), to: MediaTrackID(1), on: bob.id,
      parameters: Parameters.video(mid: "v", ssrc: 9001, rtx: 9002, payloadType: 100))
    fixture.room.subscribe(
      SubscriptionID(2), to: MediaTrackID(2), on: bob.id, parameters: Parameters.audio(mid: "a", ssrc: 9003, payloadType: 120))
    await fixture.settle()

    for number in 0..<20 as Range<UInt16> {
      alice.sendRTP(
        payloadType: 96, sequence: 65_530 &+ number, timestamp: 3000 * UInt32(number), ssrc: 1111, marker: true,
        payload: number == 0 ? VP8Payload.key("0") : VP8Payload.delta("\(number)"))
      alice.sendRTP(
        payloadType: 111, sequence: number, timestamp: 960 * UInt32(number), ssrc: 2222, payload: [1, 2, UInt8(number)],
        level: (4, 30))
    }
    try await fixture.wait("40 packets", [alice, bob]) { bob.packets.count >= 40 }

    let video = bob.packets.filter { $0.header.ssrc == 9001 }
    #expect(video.count == 20)
    #expect(video.allSatisfy { $0.header.payloadType == 100 && $0.header.marker && $0.mid(Parameters.extensionIDs) == "v" })
    let first = try #require(video.first)
    for (index, packet) in video.enumerated() {
      #expect(packet.header.sequenceNumber == first.header.sequenceNumber &+ UInt16(index))
      #expect(packet.header.timestamp == 3000 * UInt32(index))
      #expect(packet.payload == (index == 0 ? VP8Payload.key("0") : VP8Payload.delta("\(index)")))
      #expect(packet.values(Parameters.extensionIDs).absSendTime != nil)
    }
    let audio = bob.packets.filter { $0.header.ssrc == 9003 }
    #expect(audio.count == 20)
    for (index, packet) in audio.enumerated() {
      #expect(packet.payload == [1, 2, UInt8(index)])
      #expect(packet.header.payloadType == 120)
      #expect(packet.values(Parameters.extensionIDs).audioLevel == AudioLevel(level: 30, voice: true))
    }
    let numbers = bob.packets.compactMap { $0.values(Parameters.extensionIDs).transportSequence }
    #expect(Set(numbers).count == 40, "one numbering for the whole transport")
    #expect(fixture.events.contains(.firstPacket(MediaTrackID(1))))
    #expect(fixture.events.contains(.firstPacket(MediaTrackID(2))))
  }

  @Test("workers whose authority has ended send nothing, and send again once it is renewed")
  func authority() async throws {
    let authority = SendingAuthority()
    var configuration = MediaPlane.Configuration(workers: 2)
    configuration.authority = authority
    let fixture = try Fixture(configuration)
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.audio(ssrc: 1111))
    fixture.room.subscribe(
      SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.audio(ssrc: 9001))
    try await fixture.connected(alice, bob)
    var sent: UInt16 = 0
    func send() {
      alice.sendRTP(payloadType: 111, sequence: sent, timestamp: UInt32(sent) * 960, ssrc: 1111, payload: [1])
      sent += 1
    }
    send()
    try await fixture.wait("the first packet", [alice, bob]) { bob.packets.count == 1 }
    authority.set(until: TestClient.now.advanced(milliseconds: -1))
    send()
    try await fixture.wait("the worker has received the second packet", [alice]) {
      await fixture.plane.counters().total.rtpReceived == 2
    }
    authority.set(until: TestClient.now.advanced(milliseconds: 60_000))
    send()
    try await fixture.wait("the third packet", [alice, bob]) { bob.packets.last?.payload == [1] && bob.packets.count >= 2 }
    #expect(bob.packets.count == 2)
  }
}
