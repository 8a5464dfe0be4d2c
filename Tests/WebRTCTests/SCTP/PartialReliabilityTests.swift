import RoomLinkModel
import RoomRTP
import Testing

@testable import RoomWebRTC

@Suite("SCTP messages with limited reliability")
struct PartialReliabilityTests {
  /// Drops the packets of the left side that contain any of these messages. Returns the number of them so far.
  private func drop(_ pair: AssociationPair, _ isDropped: @escaping (DataChunk) -> Bool) {
    pair.filter = { side, packet in
      guard side == .left else { return packet }
      return packet.withUnsafeBytes { bytes in
        SCTPPacket(bytes)?.chunks.contains { chunk in
          chunk.kind == .data && DataChunk(chunk).map(isDropped) ?? false
        }
      } == true ? nil : packet
    }
  }

  @Test("a message without retransmissions is skipped, and those after it arrive", arguments: [false, true])
  func noRetransmission(isUnordered: Bool) throws {
    let pair = AssociationPair.connected()
    drop(pair) { $0.payload.count == 1001 }
    for number in 0..<6 as Range<UInt32> {
      try pair.ends[0].send(
        SCTPMessage(
          0, number: number, size: number == 2 ? 1001 : 1000, isUnordered: isUnordered, reliability: .retransmissions(0)))
    }
    let start = pair.now
    #expect(pair.run { pair.messages(.right).count == 5 })
    #expect(pair.messages(.right).map(\.number) == [0, 1, 3, 4, 5])
    #expect(pair.now - start < 100_000, "three SACKs are enough to skip it")
    pair.run(.seconds(1))
    #expect(pair.ends[0].unacknowledged == 0)
  }

  @Test("a message is repeated as often as its limit says")
  func limitedRetransmissions() throws {
    let pair = AssociationPair.connected()
    var count = 0
    drop(pair) { chunk in
      count += chunk.payload.count == 1001 ? 1 : 0
      return chunk.payload.count == 1001
    }
    try pair.ends[0].send(SCTPMessage(0, number: 0, size: 1001, reliability: .retransmissions(2)))
    try pair.ends[0].send(SCTPMessage(0, number: 1, size: 10))
    #expect(pair.run { pair.messages(.right).map(\.number) == [1] })
    #expect(count == 3)
  }

  @Test("the last message is skipped too, even if the skip is lost")
  func last() throws {
    let pair = AssociationPair.connected()
    drop(pair) { $0.payload.count == 1001 }
    try pair.ends[0].send(SCTPMessage(0, number: 0, size: 1001, reliability: .retransmissions(0)))
    pair.run(.milliseconds(100))
    pair.links[0].conditions.loss = 1
    pair.run(.milliseconds(1500))
    pair.links[0].conditions.loss = 0
    #expect(pair.run(.seconds(5)) { pair.ends[0].unacknowledged == 0 })
    try pair.ends[0].send(SCTPMessage(0, number: 1, size: 10))
    #expect(pair.run { pair.messages(.right).map(\.number) == [1] })
  }

  @Test("a message expires while its window is closed, also one that is partly sent")
  func expiry() throws {
    var small = SCTPConfiguration()
    small.receiveWindow = 6000
    let pair = AssociationPair.connected(.init(), small)
    pair.takes[1] = false
    try pair.ends[0].send(SCTPMessage(3, number: 0, size: 4000))
    pair.run(.seconds(1))
    let end = pair.now.advanced(milliseconds: 500)
    try pair.ends[0].send(SCTPMessage(3, number: 1, size: 5000, reliability: .until(end)))
    try pair.ends[0].send(SCTPMessage(3, number: 2, size: 5000, reliability: .until(end)))
    try pair.ends[0].send(SCTPMessage(3, number: 3, size: 100))
    pair.run(.seconds(3))
    pair.takes[1] = true
    #expect(pair.run(.seconds(30)) { pair.messages(.right).map(\.number) == [0, 3] })
    #expect(pair.run(.seconds(5)) { pair.ends[0].unacknowledged == 0 })
    #expect(pair.ends[0].bufferedAmount(of: 3) == 0)
  }

  @Test("fragments of a message that was given up are not joined with others")
  func fragments() throws {
    let pair = AssociationPair.connected()
    var isFirst = true
    drop(pair) { chunk in
      defer { if chunk.payload.count == 700 { isFirst = false } }
      return chunk.payload.count == 700 && isFirst
    }
    // 700 bytes are the last fragment.
    try pair.ends[0].send(SCTPMessage(0, number: 0, size: 3 * 1132 + 700, reliability: .retransmissions(0)))
    for number in 1..<5 as Range<UInt32> { try pair.ends[0].send(SCTPMessage(0, number: number, size: 2500)) }
    #expect(pair.run { pair.messages(.right).count == 4 })
    #expect(pair.messages(.right) == (1..<5).map { SCTPMessage(0, number: $0, size: 2500) })
  }
}
