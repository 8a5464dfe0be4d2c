import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("track tap", .serialized)
struct TrackTapTests {
  @Test("a tap receives plain packets, reports, muting and the end")
  func hears() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.video(ssrc: 1111))
    try await fixture.connected(alice)
    let tap = TrackTap(capacity: TrackTap.videoBytes)
    fixture.room.tap(MediaTrackID(1), with: tap)
    try await fixture.wait("a key frame request", [alice]) {
      if alice.pictureLosses.isEmpty {
        alice.sendRTP(payloadType: 96, sequence: 1, timestamp: 0, ssrc: 1111, payload: VP8Payload.delta())
      }
      return !alice.pictureLosses.isEmpty
    }
    for number in 2..<10 as Range<UInt16> {
      alice.sendRTP(
        payloadType: 96, sequence: number, timestamp: 3000 * UInt32(number), ssrc: 1111, marker: true,
        payload: number == 2 ? VP8Payload.key("x") : VP8Payload.delta("\(number)"))
    }
    alice.sendRTCP {
      $0.senderReport(
        SenderInformation(ssrc: 1111, ntpTime: NTPTime(rawValue: 77 << 32), rtpTimestamp: 3000, packetCount: 9, octetCount: 9))
    }
    var records: [TapRecord] = []
    var payloads: [[UInt8]] = []
    func drain() {
      while tap.read({ record, payload in
        records.append(record)
        if case .packet = record { payloads.append(Array(payload)) }
      }) {}
    }
    try await fixture.wait("the packets and the report", [alice]) {
      drain()
      return payloads.count >= 9 && records.contains { if case .report = $0 { true } else { false } }
    }
    #expect(payloads[1] == VP8Payload.key("x"))
    #expect(payloads.last == VP8Payload.delta("9"))
    let report = try #require(records.first { if case .report = $0 { true } else { false } })
    guard case .report(let ntp, let timestamp, _) = report else { return }
    #expect(ntp.rawValue == 77 << 32)
    #expect(timestamp == 3000)

    fixture.room.setMuted(MediaTrackID(1), true)
    fixture.room.unpublish(MediaTrackID(1))
    await fixture.settle()
    drain()
    #expect(records.suffix(2) == [.muted(true), .ended])
  }

  @Test("a tap of a missing track ends at once, and a removed tap receives nothing")
  func absent() async throws {
    let fixture = try Fixture()
    let tap = TrackTap(capacity: 4096)
    fixture.room.tap(MediaTrackID(5), with: tap)
    await fixture.settle()
    var records: [TapRecord] = []
    _ = tap.read { record, _ in records.append(record) }
    #expect(records == [.ended])

    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.audio(ssrc: 5))
    try await fixture.connected(alice)
    let other = TrackTap(capacity: TrackTap.audioBytes)
    fixture.room.tap(MediaTrackID(1), with: other)
    fixture.room.untap(MediaTrackID(1), other)
    for number in 0..<5 as Range<UInt16> {
      alice.sendRTP(payloadType: 111, sequence: number, timestamp: UInt32(number) * 960, ssrc: 5, payload: [1])
    }
    try await fixture.wait("packets", [alice]) { await fixture.settle().rtpReceived >= 5 }
    #expect(!other.read { _, _ in })
  }
}
