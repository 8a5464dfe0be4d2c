import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("reports", .serialized)
struct ReportTests {
  @Test("publishers get receiver reports and transport-wide feedback; subscribers sender reports on the publisher's clock")
  func reports() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.video(ssrc: 1111, cname: "alice"))
    fixture.room.subscribe(
      SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.video(ssrc: 9001, rtx: 9002))
    try await fixture.connected(alice, bob)
    // The publisher's clock is 1000 s behind wall-clock time, so that a report by another clock fails.
    let ntp = NTPTime(Instant(microseconds: 1_000_000_000))
    alice.sendRTCP { writer in
      writer.senderReport(
        SenderInformation(ssrc: 1111, ntpTime: ntp, rtpTimestamp: 90_000, packetCount: 1, octetCount: 1))
    }
    var number: UInt16 = 0
    try await fixture.wait("all reports", [alice, bob]) {
      alice.sendRTP(
        payloadType: 96, sequence: number, timestamp: 90_000 &+ UInt32(number) * 90, ssrc: 1111,
        payload: number % 100 == 0 ? VP8Payload.key() : VP8Payload.delta(), transportSequence: (3, number))
      number &+= 1
      return alice.feedbackStatuses > 50
        && alice.reportBlocks.contains { $0.ssrc == 1111 && $0.lastSenderReport == ntp.compact }
        && bob.senderReports.contains { $0.ssrc == 9001 }
    }
    let report = try #require(bob.senderReports.last)
    let elapsed = report.ntpTime.microseconds - 1_000_000_000
    #expect((0..<30_000_000).contains(elapsed))
    let ticks = Int64(report.rtpTimestamp) - 90_000
    #expect(abs(ticks * 1_000_000 / 90_000 - elapsed) < 1000, "both advance by the same time")
    #expect(bob.names[9001] == "alice")

    // Bob's receiver report provides the round trip.
    bob.sendRTCP { writer in
      writer.receiverReport(ssrc: 1)
      writer.append(
        ReportBlock(ssrc: 9001, fractionLost: 64, cumulativeLost: 5, jitter: 900, lastSenderReport: report.ntpTime.compact))
    }
    try await fixture.wait("the round trip", [alice, bob]) {
      await fixture.room.statistics().transports[bob.id]?.roundTripMilliseconds != nil
    }
    let statistics = await fixture.room.statistics()
    let subscription = try #require(statistics.subscriptions[SubscriptionID(1)])
    #expect(subscription.lost == 5)
    #expect(subscription.fractionLost == 0.25)
    #expect(subscription.jitterMilliseconds == 10)
    #expect(subscription.track == MediaTrackID(1))
    let track = try #require(statistics.tracks[MediaTrackID(1)])
    #expect(track.codec == "vp8")
    #expect(track.packets > 50)
    #expect(track.keyFrames >= 1)
    #expect(track.subscriptions == 1)
    #expect(statistics.transports[alice.id]?.remoteAddress == alice.address.description)
  }

  @Test("a publisher without transport-wide feedback gets an estimate by REMB")
  func estimate() async throws {
    var limits = MediaLimits()
    limits.bitratePerPublisher = 1_000_000
    let fixture = try Fixture(limits: limits)
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.video(ssrc: 1111, feedback: [.remb, .nack]))
    try await fixture.connected(alice)
    try await fixture.wait("an estimate", [alice]) { !alice.estimates.isEmpty }
    #expect(alice.estimates[0] <= 1_000_000)
    #expect(alice.estimates[0] > 990_000)
    #expect(alice.feedbackStatuses == 0)
  }

  @Test("levels and speakers are reported, and silence once")
  func levels() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(7), on: alice.id, parameters: Parameters.audio(ssrc: 2222))
    try await fixture.connected(alice)
    var number: UInt16 = 0
    try await fixture.wait("a speaker", [alice]) {
      alice.sendRTP(
        payloadType: 111, sequence: number, timestamp: UInt32(number) * 960, ssrc: 2222, payload: [1], level: (4, 20))
      number &+= 1
      return fixture.events.contains(.activeSpeakers([MediaTrackID(7)]))
    }
    #expect(fixture.events.contains(.audioLevels([TrackLevel(track: MediaTrackID(7), level: -20)])))
    try await fixture.wait("silence", [alice]) { fixture.events.contains(.activeSpeakers([])) }
    let silences = fixture.events.filter { $0 == .audioLevels([TrackLevel(track: MediaTrackID(7), level: -127)]) }
    #expect(silences.count == 1)
  }

  @Test("a subscriber's transport-wide feedback is counted")
  func subscriberFeedback() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.audio(ssrc: 2222))
    fixture.room.subscribe(SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.audio(ssrc: 9003))
    try await fixture.connected(alice, bob)
    for number in 0..<10 as Range<UInt16> {
      alice.sendRTP(payloadType: 111, sequence: number, timestamp: UInt32(number) * 960, ssrc: 2222, payload: [1])
    }
    try await fixture.wait("ten packets", [alice, bob]) { bob.packets.count == 10 }
    var recorder = TransportFeedbackRecorder()
    for packet in bob.packets where packet.header.sequenceNumber != bob.packets[4].header.sequenceNumber {
      recorder.record(try #require(packet.values(Parameters.extensionIDs).transportSequence), arrival: TestClient.now)
    }
    bob.sendRTCP { writer in recorder.writeFeedback(to: &writer, sender: 1, media: 9003) }
    try await fixture.wait("the feedback", [alice, bob]) {
      await fixture.room.statistics().transports[bob.id]?.feedbackReceived == 9
    }
    #expect(await fixture.room.statistics().transports[bob.id]?.feedbackLost == 1)
  }
}
