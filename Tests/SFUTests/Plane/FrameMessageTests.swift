import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

/// A worker's frames, sent as kernel messages of several packets.
@Suite("frames as messages", .serialized)
struct FrameMessageTests {
  /// Sends a frame of packets with payloads of these lengths. The first frame is a key frame.
  private func sendFrame(_ number: Int, _ lengths: [Int], first: UInt16, from alice: TestClient) {
    for (index, length) in lengths.enumerated() {
      let start = number == 0 && index == 0 ? VP8Payload.key() : VP8Payload.delta()
      let text = Array("\(number).\(index)".utf8)
      alice.sendRTP(
        payloadType: 96, sequence: first &+ UInt16(index), timestamp: 3000 &* UInt32(number), ssrc: 1111,
        marker: index == lengths.count - 1,
        payload: start + text + [UInt8](repeating: 0x77, count: length - start.count - text.count))
    }
  }

  /// Sends frames of five packets until the worker has sent some in messages of several, and Bob has them all.
  private func exchange(subscribed: RTPParameters, profile: SRTPProfile = .aeadAES128GCM) async throws
    -> (fixture: Fixture, alice: TestClient, bob: TestClient)
  {
    // The first frames have no padding, and a link changes how many these are.
    let fixture = try Fixture(.init(workers: 1))
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane, profiles: [profile])
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane, profiles: [profile])
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.video(ssrc: 1111))
    fixture.room.subscribe(SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: subscribed)
    try await fixture.connected(alice, bob)
    var frames = 0
    repeat {
      for _ in 0..<10 {
        sendFrame(frames, [890, 900, 899, 900, 500], first: UInt16(frames * 5), from: alice)
        frames += 1
      }
      try await fixture.wait("all packets", [alice, bob]) { bob.packets.count >= frames * 5 }
    } while await fixture.settle().segmentedPackets < 20 && frames < 200
    #expect(bob.packets.count == frames * 5)
    for (index, packet) in bob.packets.enumerated() {
      let text = Array("\(index / 5).\(index % 5)".utf8)
      #expect(packet.header.sequenceNumber == bob.packets[0].header.sequenceNumber &+ UInt16(index))
      #expect(packet.payload.count == [890, 900, 899, 900, 500][index % 5])
      #expect(packet.payload.dropFirst(index == 0 ? 11 : 5).starts(with: text), "\(index)")
      #expect(packet.payload.last == 0x77)
    }
    return (fixture, alice, bob)
  }

  @Test("a frame's packets arrive unchanged, although padded to form one message", arguments: SRTPProfile.allCases)
  func padded(profile: SRTPProfile) async throws {
    let (fixture, alice, bob) = try await exchange(subscribed: Parameters.video(ssrc: 9001, rtx: 9002), profile: profile)
    let counters = await fixture.settle()
    #expect(counters.segmentedPackets >= 20)
    #expect(counters.segmentedMessages * 2 <= counters.segmentedPackets)
    #expect(counters.segmentationRefused == 0)
    #expect(counters.packetsSent >= counters.rtpForwarded)
    #expect(counters.rtpForwarded == UInt64(bob.packets.count))
    let paddings = bob.packets.map(\.header.paddingLength)
    #expect(paddings.contains { $0 > 0 })
    #expect(paddings.allSatisfy { $0 <= PendingPackets.longestPadding })
    let statistics = try #require(await fixture.room.statistics().subscriptions[SubscriptionID(1)])
    #expect(statistics.bytes == UInt64(bob.packets.map(\.payload.count).reduce(0, +)), "padding is not payload")

    // Retransmitted packets have no padding.
    let index = try #require(paddings.lastIndex { $0 > 0 })
    let lost = bob.packets[index]
    bob.sendRTCP { $0.nack(sender: 1, media: 9001, sequenceNumbers: [lost.header.sequenceNumber]) }
    try await fixture.wait("the repair", [alice, bob]) { bob.packets.last?.header.ssrc == 9002 }
    let repair = try #require(bob.packets.last)
    let number = lost.header.sequenceNumber
    #expect(repair.payload == [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] + lost.payload)
    #expect(repair.header.paddingLength == 0)
    // The send time and the sequence number are those of the retransmission, not of the original packet.
    let before = lost.values(Parameters.extensionIDs)
    let after = repair.values(Parameters.extensionIDs)
    let highest = try #require(bob.packets[bob.packets.count - 2].values(Parameters.extensionIDs).transportSequence)
    #expect(after.transportSequence == highest &+ 1)
    #expect(after.absSendTime != nil && after.absSendTime?.rawValue != before.absSendTime?.rawValue)
  }

  @Test("without RTX nothing is padded, and a retransmission is the same datagram")
  func plain() async throws {
    let (fixture, alice, bob) = try await exchange(subscribed: Parameters.video(ssrc: 9001))
    #expect(await fixture.settle().segmentedPackets >= 20)
    #expect(bob.packets.allSatisfy { $0.header.paddingLength == 0 })
    let last = try #require(bob.datagrams.last { $0.count > 3 && $0[0] >> 6 == 2 && $0[1] & 0x7F == 96 })
    let number = UInt16(last[2]) << 8 | UInt16(last[3])
    bob.sendRTCP { $0.nack(sender: 1, media: 9001, sequenceNumbers: [number]) }
    try await fixture.wait("the same datagram", [alice, bob]) { bob.datagrams.filter { $0 == last }.count == 2 }
  }

  @Test("a frame whose end does not arrive is forwarded nevertheless")
  func unfinished() async throws {
    let (fixture, alice, bob) = try await exchange(subscribed: Parameters.video(ssrc: 9001, rtx: 9002))
    let count = bob.packets.count
    let next = UInt16(count)
    alice.sendRTP(
      payloadType: 96, sequence: next, timestamp: 900_000, ssrc: 1111, marker: false, payload: VP8Payload.delta("unfinished"))
    try await fixture.wait("the packet", [alice, bob]) { bob.packets.count == count + 1 }
    #expect(bob.packets.last?.payload == VP8Payload.delta("unfinished"))
  }

  @Test("a subscription that ends while a frame waits receives the packets so far, and the worker continues")
  func unsubscribed() async throws {
    let (fixture, alice, bob) = try await exchange(subscribed: Parameters.video(ssrc: 9001, rtx: 9002))
    var next = UInt16(bob.packets.count)
    for round in 0..<20 as Range<UInt32> {
      alice.sendRTP(
        payloadType: 96, sequence: next, timestamp: 900_000 + round, ssrc: 1111, payload: VP8Payload.delta("half a frame"))
      next += 1
      fixture.room.unsubscribe(SubscriptionID(round + 1))
      fixture.room.subscribe(
        SubscriptionID(round + 2), to: MediaTrackID(1), on: bob.id,
        parameters: Parameters.video(ssrc: SSRC(9100 + round), rtx: SSRC(9200 + round)))
      await fixture.settle()
    }
    fixture.room.unpublish(MediaTrackID(1))
    #expect(await fixture.settle().tracks == 0)
  }
}
