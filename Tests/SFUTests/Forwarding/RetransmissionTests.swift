import RoomRTP
import RoomTestSupport
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("forwarder: retransmission")
struct RetransmissionTests {
  @Test("a NACK is answered at once, and again only after the resend interval")
  func throttled() throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.videoFromAliceToBob()
    network.run(milliseconds: 100)
    for number in 1...3 as ClosedRange<UInt16> { alice.sendFrame(number, isKey: number == 1) }
    network.run(milliseconds: 100)
    let lost = try #require(bob.packets.dropFirst().first).packet
    let start = network.now
    for _ in 0..<5 {
      bob.sendRTCP { $0.nack(sender: 1, media: 9001, sequenceNumbers: [lost.header.sequenceNumber]) }
      network.run(milliseconds: 8)
    }
    network.run(milliseconds: 100)
    let repairs = bob.packets.filter { $0.packet.header.ssrc == 9002 }
    // NACKs at 0, 8, 16, 24 and 32 ms. Without a measured round trip, the interval is 20 ms.
    #expect(repairs.map { $0.at - start } == [20_000, 44_000])
    let number = lost.header.sequenceNumber
    for repair in repairs {
      #expect(repair.packet.payload == [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] + lost.payload)
      #expect(repair.packet.header.payloadType == 101)
      #expect(repair.packet.header.timestamp == lost.header.timestamp)
    }
    #expect(bob.numbers(of: 9002) == [0, 1], "a repair stream has numbers of its own")
  }

  @Test("a missing packet is requested from the publisher at most ten times, and for at most a second")
  func patience() throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.videoFromAliceToBob()
    alice.sendFrame(1, isKey: true)
    network.run(milliseconds: 200)
    let start = network.now
    alice.sendFrame(3)
    network.run(milliseconds: 3000)
    let requests = alice.feedback.filter { $0.feedback == .nack(1111, [2]) }.map { $0.at - start }
    #expect(requests.count == 10)
    // A round trip, 5 ms for reordering, and at most two clock ticks.
    let first = try #require(requests.first)
    #expect((25_000...60_000).contains(first))
    #expect(zip(requests.dropFirst(), requests).allSatisfy { (20_000...60_000).contains($0 - $1) })
    #expect(bob.numbers(of: 9001) == [0, 2], "the subscriber sees the gap too")

    // A packet that arrives late nevertheless is forwarded under its own number.
    alice.sendFrame(2)
    network.run(milliseconds: 100)
    #expect(bob.numbers(of: 9001) == [0, 2, 1])
  }

  @Test("over links that lose a tenth in each direction, RTX recovers every frame", arguments: 1...3 as ClosedRange<UInt64>)
  func lossy(seed: UInt64) throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.videoFromAliceToBob()
    network.run(milliseconds: 100)
    alice.sendFrame(0, isKey: true)
    network.run(milliseconds: 100)
    var random = SeededGenerator(seed: seed)
    network.loses = { _, _ in Int.random(in: 0..<10, using: &random) == 0 }
    var repaired = Set<UInt16>()
    var repairNumber: UInt16 = 0
    var answered = 0
    let frames = 300 as UInt16
    for turn in 1...(frames + 100) {
      // Nothing after the last frames would reveal that they were lost.
      if turn == frames - 5 { network.loses = { _, _ in false } }
      if turn < frames { alice.sendFrame(turn) }
      network.run(milliseconds: 20)
      // Alice retransmits the requested packets as RTX.
      for case .nack(1111, let numbers) in alice.feedback.dropFirst(answered).map(\.feedback) {
        for number in numbers {
          repairNumber += 1
          alice.sendRTP(
            payloadType: 97, sequence: repairNumber, timestamp: UInt32(number) * 3000, ssrc: 1112, marker: true,
            payload: [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] + VP8Payload.delta("\(number)"))
        }
      }
      answered = alice.feedback.count
      // Bob requests all missing packets up to the newest.
      let first = try #require(bob.packets.first).packet.header.sequenceNumber
      for (_, packet) in bob.packets where packet.header.ssrc == 9002 {
        repaired.insert((UInt16(packet.payload[0]) << 8 | UInt16(packet.payload[1])) &- first)
      }
      let direct = Set(bob.numbers(of: 9001))
      let missing = (0..<(direct.max() ?? 0)).filter { !direct.contains($0) && !repaired.contains($0) }
      if !missing.isEmpty {
        bob.sendRTCP { $0.nack(sender: 1, media: 9001, sequenceNumbers: missing.prefix(30).map { $0 &+ first }) }
      }
    }
    let got = Set(bob.numbers(of: 9001)).union(repaired)
    #expect(Set(0..<(got.max() ?? 0)).subtracting(got).isEmpty)
    #expect(got.count == Int(frames))
    #expect(!repaired.isEmpty && repairNumber > 0)
    let payloads = bob.payloads(of: 9001)
    #expect(Set(payloads).count == payloads.count, "nothing arrived twice")
  }
}
