import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("parts of a stream")
struct StreamPartTests {
  private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

  @Test("key frame requests are spaced, repeated until one arrives, and less frequent after ten")
  func keyFrameRequests() {
    var requests = KeyFrameRequests()
    func isDue(_ milliseconds: Int64) -> Bool { requests.isDue(at(milliseconds), interval: 500_000) }
    #expect(!isDue(0))
    requests.request()
    #expect(isDue(0))
    requests.request()
    #expect(!isDue(499))
    #expect(isDue(500))
    requests.keyFrameArrived()
    #expect(!isDue(5000))
    requests.request()
    var times: [Int64] = []
    for time in stride(from: Int64(10_000), to: 30_000, by: 100) where isDue(time) {
      times.append(time)
    }
    #expect(times.prefix(10) == (0..<10).map { 10_000 + 500 * $0 }[...])
    #expect(zip(times.dropFirst(10), times.dropFirst(9)).allSatisfy { $0 - $1 == 3000 })
  }

  @Test("a packet is retransmitted once per interval, up to a number of packets per second")
  func throttle() {
    var throttle = ResendThrottle()
    func allows(_ sequence: UInt16, _ milliseconds: Int64, interval: Int64) -> Bool {
      throttle.allows(sequence, now: at(milliseconds), interval: interval)
    }
    #expect(allows(7, 0, interval: 50_000))
    #expect(!allows(7, 49, interval: 50_000))
    #expect(allows(8, 49, interval: 50_000))
    #expect(allows(7, 50, interval: 50_000))
    var allowed = 0
    for number in 0..<5000 as Range<UInt16> where allows(1000 &+ number, 2000, interval: 0) { allowed += 1 }
    #expect(allowed == ResendThrottle.packetsPerSecond)
    #expect(allows(9, 3000, interval: 0))
  }

  @Test("sender reports use the publisher's clock; without its report, arrival times after a while")
  func clock() throws {
    var clock = SenderClock()
    #expect(clock.moment(at(0), clockRate: 90_000) == nil)
    clock.packetArrived(rtpTimestamp: 1000, now: at(0), wallOffset: 0)
    #expect(clock.moment(at(100), clockRate: 90_000) == nil)
    let local = try #require(clock.moment(at(3000), clockRate: 90_000))
    #expect(local.rtp == 1000 + 270_000)
    clock.report(ntp: NTPTime(at(5000)), rtpTimestamp: .max, now: at(3000))
    clock.packetArrived(rtpTimestamp: 77, now: at(3100), wallOffset: 0)
    let moment = try #require(clock.moment(at(4000), clockRate: 90_000))
    #expect(moment.ntp.microseconds / 1000 == 6000)
    #expect(moment.rtp == 89_999, "over the wrap")
  }

  @Test("rates are those of the last interval")
  func rates() {
    var meter = RateMeter()
    meter.roll(at(0))
    for _ in 0..<30 {
      meter.add(bytes: 1250)
      meter.addFrame()
    }
    #expect(meter.kbps == 0)
    meter.roll(at(1000))
    #expect(meter.kbps == 300)
    #expect(meter.framesPerSecond == 30)
    meter.roll(at(2000))
    #expect(meter.kbps == 0)
  }

  @Test("a pause between sentences keeps the speaker, a second of silence does not")
  func speakers() {
    var ranking = SpeakerRanking()
    func update(_ levels: [TrackLevel]) -> Bool { ranking.update(levels) }
    let alice = TrackLevel(track: MediaTrackID(1), level: -20)
    let bob = TrackLevel(track: MediaTrackID(2), level: -35)
    #expect(update([alice]))
    #expect(ranking.speakers == [MediaTrackID(1)])
    #expect(!update([]))
    #expect(!update([]))
    #expect(!update([alice]))
    #expect(update([alice, bob]))
    #expect(ranking.speakers == [MediaTrackID(1), MediaTrackID(2)])
    #expect(!update([alice, TrackLevel(track: MediaTrackID(3), level: -60)]), "a murmur is not speech")
    for _ in 0..<10 { _ = update([bob]) }
    #expect(ranking.speakers == [MediaTrackID(2)])
    for _ in 0..<10 { _ = update([]) }
    #expect(ranking.speakers.isEmpty)
    _ = update([alice])
    ranking.remove(MediaTrackID(1))
    #expect(update([]))
    #expect(ranking.speakers.isEmpty)
  }

  @Test("a header written by the template reads back equal, with and without a level")
  func header() throws {
    var template = HeaderTemplate(mid: "abc", ids: Parameters.extensionIDs)
    template.setPlayoutDelay(milliseconds: 320)
    let plain = HeaderTemplate(mid: "", ids: RTPExtensionIDs())
    var buffer = [UInt8](repeating: 0xEE, count: 128)
    for level in [UInt8(0x85), nil] {
      let length = buffer.withUnsafeMutableBytes { bytes in
        bytes.baseAddress.map {
          template.write(
            to: $0, payloadType: 96, marker: true, sequence: 5, timestamp: 6, ssrc: 7, absSendTime: 0x01_0203,
            transportSequence: 0x0405, audioLevel: level)
        } ?? 0
      }
      #expect(length <= HeaderTemplate.maximumLength)
      try buffer.withUnsafeBytes { bytes in
        let packet = UnsafeRawBufferPointer(rebasing: bytes[..<length])
        let header = try #require(RTPHeader(parsing: packet))
        #expect(header.headerLength == length)
        #expect((header.payloadType, header.marker, header.sequenceNumber) == (96, true, 5))
        #expect((header.timestamp, header.ssrc) == (6, 7))
        let values = RTPExtensionValues(packet: packet, header: header, ids: Parameters.extensionIDs)
        #expect(values.mid.map { String(decoding: packet[$0], as: UTF8.self) } == "abc")
        #expect(values.absSendTime?.rawValue == 0x01_0203)
        #expect(values.transportSequence == 0x0405)
        #expect(values.audioLevel == level.map { AudioLevel(wire: $0) })
        let delay = RTPExtensions(packet: packet, header: header).range(of: Parameters.extensionIDs.playoutDelay)
        #expect(delay.map { Array(packet[$0]) } == [0x02, 0x0F, 0xFF], "32 times 10 ms, and no upper limit")
      }
    }
    let length = buffer.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map {
        plain.write(
          to: $0, payloadType: 96, marker: false, sequence: 5, timestamp: 6, ssrc: 7, absSendTime: 1, transportSequence: 2,
          audioLevel: 3)
      }
    }
    #expect(length == 12)
    #expect(buffer[0] == 0x80)
  }

  @Test(
    "a dependency descriptor is appended in the form that its length needs, and the other extensions stay",
    arguments: [3, 16, 17, 255], ["", "abc"] as [Mid])
  func descriptor(count: Int, mid: Mid) throws {
    var ids = mid == "" ? RTPExtensionIDs() : Parameters.extensionIDs
    ids.dependencyDescriptor = 12
    let template = HeaderTemplate(mid: mid, ids: ids)
    let descriptor = (0..<count).map { UInt8(truncatingIfNeeded: $0 + 1) }
    var buffer = [UInt8](repeating: 0xEE, count: 512)
    let length = buffer.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return 0 }
      let written = template.write(
        to: base, payloadType: 96, marker: true, sequence: 5, timestamp: 6, ssrc: 7, absSendTime: 0x01_0203,
        transportSequence: 0x0405, audioLevel: 0x85)
      let total = descriptor.withUnsafeBytes { template.append($0, to: base, length: written) }
      #expect(total - written <= HeaderTemplate.maximumAppended)
      return total
    }
    #expect(length % 4 == 0 && buffer[max(length, HeaderTemplate.maximumLength)...].allSatisfy { $0 == 0xEE })
    try buffer.withUnsafeBytes { bytes in
      let packet = UnsafeRawBufferPointer(rebasing: bytes[..<length])
      let header = try #require(RTPHeader(parsing: packet))
      #expect(header.headerLength == length && header.sequenceNumber == 5)
      #expect(header.extensionProfile == (count > 16 ? 0x1000 : 0xbede))
      let values = RTPExtensionValues(packet: packet, header: header, ids: ids)
      #expect(values.dependencyDescriptor.map { Array(packet[$0]) } == descriptor)
      guard mid != "" else { return }
      #expect(values.mid.map { String(decoding: packet[$0], as: UTF8.self) } == "abc")
      #expect(values.absSendTime?.rawValue == 0x01_0203)
      #expect(values.transportSequence == 0x0405)
      #expect(values.audioLevel == AudioLevel(wire: 0x85))
    }
  }

  @Test("the receiver's codec with the same format parameters is chosen")
  func codecs() throws {
    func h264(_ payloadType: UInt8, _ profile: String, mode: String, rtx: UInt8? = nil) -> RTPCodec {
      RTPCodec(
        name: "h264", payloadType: payloadType, rtxPayloadType: rtx, clockRate: 90_000,
        parameters: ["profile-level-id": profile, "packetization-mode": mode])
    }
    let vp8 = RTPCodec(name: "VP8", payloadType: 96, clockRate: 90_000)
    let receiver = RTPParameters(
      mid: "0", kind: .video,
      codecs: [h264(100, "42e01f", mode: "0"), h264(102, "42e01f", mode: "1", rtx: 103), h264(104, "640c1f", mode: "1")])
    var random = SystemRandomNumberGenerator()
    let slot = try #require(
      SubscriptionSlot(
        id: SubscriptionID(1), track: 0, transport: 0, ssrc: 1, encoding: RTPEncoding(ssrc: 1, rtxSSRC: 2),
        source: [vp8, h264(1, "42e034", mode: "1"), h264(2, "640c28", mode: "1"), h264(3, "42e01f", mode: "0")],
        parameters: receiver, continues: false, retired: [1: RetiredStream(next: 77)],
        random: &random))
    #expect(slot.payloadTypes[0] == TrackSlot.noPayloadType)
    #expect(slot.payloadTypes[1] == 102)
    #expect(slot.rtxPayloadTypes[1] == 103)
    #expect(slot.payloadTypes[2] == 104)
    #expect(slot.payloadTypes[3] == 100)
    #expect(slot.map.next(after: 0) == 77, "a used number is not reused")
    #expect(
      SubscriptionSlot(
        id: SubscriptionID(1), track: 0, transport: 0, ssrc: 1, encoding: RTPEncoding(ssrc: 1), source: [vp8],
        parameters: receiver, continues: false, retired: [:], random: &random) == nil)
  }
}
