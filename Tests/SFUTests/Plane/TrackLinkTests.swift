import RoomRTP
import Synchronization
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("a link between two rooms", .serialized)
struct TrackLinkTests {
  @Test("a track is carried to another worker's room: packets, gaps, reports, and key frame requests in return")
  func carried() async throws {
    let fixture = try Fixture(.init(workers: 2))
    let away = fixture.plane.openRoom { _ in }
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: away, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.video(ssrc: 1111))
    let injection = away.receive(
      MediaTrackID(7), parameters: Parameters.video(ssrc: nil, cname: "alice"), layers: 1, isReported: true)
    fixture.room.link(MediaTrackID(1), to: injection)
    away.subscribe(
      SubscriptionID(1), to: MediaTrackID(7), on: bob.id, parameters: Parameters.video(ssrc: 9001, rtx: 9002, payloadType: 100))
    try await fixture.wait("connected", [alice, bob]) { alice.isConnected && bob.isConnected }
    try await fixture.wait("the key frame request", [alice, bob]) {
      if alice.pictureLosses.isEmpty {
        alice.sendRTP(payloadType: 96, sequence: 1, timestamp: 0, ssrc: 1111, marker: true, payload: VP8Payload.delta())
      }
      return !alice.pictureLosses.isEmpty
    }
    alice.sendRTCP {
      $0.senderReport(
        SenderInformation(ssrc: 1111, ntpTime: NTPTime(rawValue: 77 << 32), rtpTimestamp: 6000, packetCount: 9, octetCount: 9))
    }
    // Number 5 never arrives.
    for number in [2, 3, 4, 6, 7] as [UInt16] {
      alice.sendRTP(
        payloadType: 96, sequence: number, timestamp: 3000 * UInt32(number), ssrc: 1111, marker: true,
        payload: number == 2 ? VP8Payload.key("x") : VP8Payload.delta("\(number)"))
    }
    try await fixture.wait("all sent packets", [alice, bob]) { bob.packets.count >= 5 }
    #expect(bob.packets[0].payload == VP8Payload.key("x"))
    let numbers = bob.packets.map { $0.header.sequenceNumber &- bob.packets[0].header.sequenceNumber }
    #expect(numbers == [0, 1, 2, 4, 5], "the gap is unchanged")
    #expect(bob.packets.map { $0.header.timestamp &- bob.packets[0].header.timestamp } == [0, 3000, 6000, 12_000, 15_000])
    try await fixture.wait("a sender report", [alice, bob]) { !bob.senderReports.isEmpty }
    let report = try #require(bob.senderReports.last)
    let seconds = Double(report.ntpTime.rawValue) / 4_294_967_296 - 77
    #expect(abs(seconds - Double(Int32(bitPattern: report.rtpTimestamp &- 6000)) / 90_000) < 0.001)
  }

  @Test("a carried track's audio level is reported in the other room too") func levels() async throws {
    let fixture = try Fixture(.init(workers: 2))
    let told = Mutex<[MediaEvent]>([])
    let away = fixture.plane.openRoom { event in told.withLock { $0.append(event) } }
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.audio(ssrc: 2222))
    fixture.room.link(
      MediaTrackID(1),
      to: away.receive(MediaTrackID(7), parameters: Parameters.audio(ssrc: nil), layers: 1, isReported: true))
    try await fixture.connected(alice)
    var number: UInt16 = 0
    try await fixture.wait("a speaker", [alice]) {
      alice.sendRTP(
        payloadType: 111, sequence: number, timestamp: UInt32(number) * 960, ssrc: 2222, payload: [1], level: (4, 20))
      number &+= 1
      return told.withLock { $0.contains(.activeSpeakers([MediaTrackID(7)])) }
    }
    #expect(told.withLock { $0.contains(.audioLevels([TrackLevel(track: MediaTrackID(7), level: -20)])) })
  }
}
