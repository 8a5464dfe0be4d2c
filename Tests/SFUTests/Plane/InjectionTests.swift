import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("tracks that come from this process", .serialized)
struct InjectionTests {
  /// Sends a picture of this many packets.
  private func sendPicture(_ injection: TrackInjection, packets: Int = 1, timestamp: UInt32, isKey: Bool, text: String = "") {
    for index in 0..<packets {
      // Only the first packet begins a frame (S and PID of RFC 7741).
      var payload = isKey && index == 0 ? VP8Payload.key(text) : VP8Payload.delta("\(text)\(index)")
      if index > 0 { payload[0] = 0 }
      injection.send(payload, timestamp: timestamp, marker: index == packets - 1)
    }
    injection.commit()
  }

  @Test("a subscriber receives injected packets from a key frame on, retransmissions, and sender reports")
  func forwarded() async throws {
    let fixture = try Fixture()
    let bob = try TestClient(1, in: fixture.room, of: fixture.plane)
    let injection = fixture.room.inject(MediaTrackID(1), parameters: Parameters.video(ssrc: nil, cname: "encoder"))
    fixture.room.subscribe(
      SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.video(ssrc: 9001, rtx: 9002, payloadType: 100))
    try await fixture.connected(bob)
    try await fixture.wait("the key frame request", [bob]) { injection.keyFrameRequests > 0 }

    injection.report(NTPTime(rawValue: 5 << 32), timestamp: 90_000)
    sendPicture(injection, timestamp: 87_000, isKey: false)
    sendPicture(injection, packets: 3, timestamp: 90_000, isKey: true, text: "k")
    sendPicture(injection, timestamp: 93_000, isKey: false, text: "d")
    try await fixture.wait("four packets", [bob]) { bob.packets.count >= 4 }
    #expect(bob.packets[0].payload == VP8Payload.key("k"))
    #expect(bob.packets.map(\.header.timestamp) == [90_000, 90_000, 90_000, 93_000])
    #expect(bob.packets.map(\.header.marker) == [false, false, true, true])
    let first = bob.packets[0].header
    #expect(bob.packets.map(\.header.sequenceNumber) == (0..<4).map { first.sequenceNumber &+ $0 })
    #expect(first.payloadType == 100 && first.ssrc == 9001)

    bob.sendRTCP { $0.nack(sender: 1, media: 9001, sequenceNumbers: [first.sequenceNumber &+ 1]) }
    try await fixture.wait("the packet again", [bob]) { bob.packets.count >= 5 }
    let again = try #require(bob.packets.last)
    #expect(again.header.ssrc == 9002)
    #expect(Array(again.payload.dropFirst(2)) == bob.packets[1].payload)

    try await fixture.wait("a sender report", [bob]) { !bob.senderReports.isEmpty }
    let report = try #require(bob.senderReports.first)
    // In the injector's own clock, however late the report arrives.
    let seconds = Double(report.ntpTime.rawValue) / 4_294_967_296 - 5
    #expect(abs(seconds - Double(report.rtpTimestamp &- 90_000) / 90_000) < 0.001)
    #expect(bob.names[9001] == "encoder")

    let counters = await fixture.settle()
    #expect(counters.injected == 5)
    #expect(counters.retransmitted == 1)
    #expect(counters[.awaitingKeyFrame] == 1)
    #expect(injection.lost == 0)
    let statistics = try #require(await fixture.room.statistics().tracks[MediaTrackID(1)])
    #expect(statistics.packets == 5 && statistics.frames == 3 && statistics.keyFrames == 1 && statistics.codec == "vp8")
    #expect(fixture.events.contains(.firstPacket(MediaTrackID(1))))
  }

  @Test("unanswered key frame requests become less frequent, and end with the next key frame")
  func keyFrames() async throws {
    var limits = MediaLimits()
    limits.keyFrameInterval = 10_000
    let fixture = try Fixture(limits: limits)
    let bob = try TestClient(1, in: fixture.room, of: fixture.plane)
    let injection = fixture.room.inject(MediaTrackID(1), parameters: Parameters.video(ssrc: nil))
    fixture.room.subscribe(SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.video(ssrc: 9001))
    try await fixture.connected(bob)
    try await fixture.wait("the full-rate requests", [bob]) { injection.keyFrameRequests >= KeyFrameRequests.eagerAttempts }
    sendPicture(injection, timestamp: 0, isKey: true)
    try await fixture.wait("the picture", [bob]) { !bob.packets.isEmpty }
    await fixture.settle()
    let requestCount = injection.keyFrameRequests
    #expect(requestCount < 100)
    bob.sendRTCP { $0.pictureLoss(sender: 1, media: 9001) }
    try await fixture.wait("another request", [bob]) { injection.keyFrameRequests > requestCount }
  }

  @Test("injected audio has its level and reaches taps; when muted, it is not forwarded")
  func sound() async throws {
    let fixture = try Fixture()
    let bob = try TestClient(1, in: fixture.room, of: fixture.plane)
    let injection = fixture.room.inject(MediaTrackID(1), parameters: Parameters.audio(ssrc: nil))
    let tap = TrackTap(capacity: TrackTap.audioBytes)
    fixture.room.tap(MediaTrackID(1), with: tap)
    fixture.room.subscribe(SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.audio(ssrc: 9001))
    try await fixture.connected(bob)
    injection.report(NTPTime(rawValue: 7 << 32), timestamp: 960)
    injection.send([0x78, 1], timestamp: 960, marker: false, level: AudioLevel(level: 20, voice: true))
    injection.commit()
    try await fixture.wait("the packet", [bob]) { !bob.packets.isEmpty }
    #expect(bob.packets[0].values(Parameters.extensionIDs).audioLevel == AudioLevel(level: 20, voice: true))
    try await fixture.wait("the level", [bob]) {
      fixture.events.contains(.audioLevels([TrackLevel(track: MediaTrackID(1), level: -20)]))
    }
    var records: [TapRecord] = []
    while tap.read({ record, _ in records.append(record) }) {}
    #expect(records.count == 2)
    if case .report(let ntp, let timestamp, _)? = records.first {
      #expect(ntp.rawValue == 7 << 32 && timestamp == 960)
    } else {
      Issue.record("no report before the first packet: \(records)")
    }

    fixture.room.setMuted(MediaTrackID(1), true)
    await fixture.settle()
    injection.send([0x78, 2], timestamp: 1920, marker: false)
    injection.commit()
    try await fixture.wait("the muted packet", [bob]) { await fixture.settle()[.muted] == 1 }
    #expect(bob.packets.count == 1)
  }

  @Test("an injected track ends when it is unpublished, and with its room")
  func ended() async throws {
    let fixture = try Fixture()
    let bob = try TestClient(1, in: fixture.room, of: fixture.plane)
    let injection = fixture.room.inject(MediaTrackID(1), parameters: Parameters.audio(ssrc: nil))
    fixture.room.subscribe(SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.audio(ssrc: 9001))
    try await fixture.connected(bob)
    injection.send([0x78, 1], timestamp: 960, marker: false)
    injection.commit()
    try await fixture.wait("the packet", [bob]) { !bob.packets.isEmpty }
    fixture.room.unpublish(MediaTrackID(1))
    injection.send([0x78, 2], timestamp: 1920, marker: false)
    injection.commit()
    try await fixture.wait("the BYE", [bob]) { bob.goodbyes.contains(9001) }
    var counters = await fixture.settle()
    #expect(counters.tracks == 0 && counters.ringBytes == 0 && counters.injected == 1)
    _ = fixture.room.inject(MediaTrackID(2), parameters: Parameters.video(ssrc: nil))
    counters = await fixture.settle()
    #expect(counters.tracks == 1)
    fixture.room.close()
    counters = await fixture.settle()
    #expect(counters.tracks == 0 && counters.ringBytes == 0 && counters.rooms == 0)
  }

  @Test("a burst longer than the rings is forwarded in order, and packets that do not fit are counted")
  func burst() async throws {
    let fixture = try Fixture()
    let bob = try TestClient(1, in: fixture.room, of: fixture.plane, receiveBuffer: 8 << 20)
    let injection = fixture.room.inject(MediaTrackID(1), parameters: Parameters.video(ssrc: nil))
    fixture.room.subscribe(
      SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.video(ssrc: 9001, rtx: 9002))
    try await fixture.connected(bob)
    await fixture.settle()
    // Written before the worker is woken: more than the track's own ring can store.
    for number in 0..<700 as Range<UInt32> {
      injection.send(number == 0 ? VP8Payload.key() : VP8Payload.delta(), timestamp: number * 3000, marker: true)
    }
    injection.commit()
    try await fixture.wait("all packets", [bob]) { await fixture.settle().rtpForwarded == 700 }
    #expect(await fixture.settle()[.historyMiss] == 0)

    let full = TrackInjection(isVideo: false, wakeup: try Wakeup())
    var taken = 0
    while full.send([UInt8](repeating: 0, count: 1000), timestamp: 0, marker: false), taken < 1000 { taken += 1 }
    #expect((100..<200).contains(taken))
    #expect(full.lost == 1)
    #expect(!full.send([UInt8](repeating: 0, count: 1600), timestamp: 0, marker: false))
  }

  @Test("a worker refuses injections above its limit")
  func limited() async throws {
    var limits = MediaLimits()
    limits.injectionsPerWorker = 1
    let fixture = try Fixture(limits: limits)
    let first = fixture.room.inject(MediaTrackID(1), parameters: Parameters.audio(ssrc: nil))
    let second = fixture.room.inject(MediaTrackID(2), parameters: Parameters.audio(ssrc: nil))
    second.send([0x78], timestamp: 0, marker: false)
    second.commit()
    try await fixture.wait("the refusal", []) { fixture.events.contains(.refused(.track(MediaTrackID(2)))) }
    #expect(await fixture.settle().tracks == 1)
    withExtendedLifetime(first) {}
  }
}
