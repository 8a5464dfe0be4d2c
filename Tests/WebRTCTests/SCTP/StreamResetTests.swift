import RoomLinkModel
import RoomRTP
import Testing

@testable import RoomWebRTC

@Suite("Resets of SCTP streams")
struct StreamResetTests {
  @Test("a stream is reset after its messages, and begins anew", arguments: [0, 0.1, 0.3])
  func reset(loss: Double) throws {
    let pair = AssociationPair.connected(conditions: LinkConditions(loss: loss, delay: 10_000, reorder: loss), seed: 5)
    for number in 0..<20 as Range<UInt32> { try pair.ends[0].send(SCTPMessage(4, number: number, size: 2000)) }
    pair.ends[0].reset([4, 6])
    #expect(throws: SCTPSendError.resetting) { try pair.ends[0].send(SCTPMessage(4, number: 99, size: 1)) }
    let done = SCTPEvent.localReset([4], isAccepted: true)
    #expect(pair.run(.seconds(200)) { pair.events[0].contains(done) })
    #expect(pair.events[0].contains(.localReset([6], isAccepted: true)))
    // The other side learns of it after the messages.
    let received = pair.events[1].filter { $0 != .connected(streams: 1024) && $0 != .remoteReset([6]) }
    #expect(received.count == 21 && received.last == .remoteReset([4]))
    for number in 0..<5 as Range<UInt32> { try pair.ends[0].send(SCTPMessage(4, number: 100 + number, size: 2000)) }
    #expect(pair.run(.seconds(60)) { pair.messages(.right).count == 25 })
    #expect(pair.messages(.right).suffix(5).map(\.number) == [100, 101, 102, 103, 104])
  }

  @Test("both sides may reset the same streams, again and again")
  func again() throws {
    let pair = AssociationPair.connected(conditions: LinkConditions(loss: 0.05, delay: 10_000))
    for round in 0..<30 as Range<UInt32> {
      for side in 0..<2 {
        try pair.ends[side].send(SCTPMessage(1, number: round, size: 100))
        pair.ends[side].reset([1, 2])
      }
      #expect(
        pair.run(.seconds(60)) {
          pair.events.allSatisfy { $0.filter { $0.isLocalReset }.count >= Int(round) + 1 }
            && !pair.ends.contains { $0.bufferedAmount(of: 1) > 0 } && pair.messages(.left).count == Int(round) + 1
            && pair.messages(.right).count == Int(round) + 1
            && pair.events.allSatisfy { $0.resets(of: 1) == Int(round) + 1 && $0.resets(of: 2) == Int(round) + 1 }
        })
    }
  }

  @Test("a repeated request is performed once")
  func repetition() throws {
    let pair = AssociationPair.connected()
    var requests: [[UInt8]] = []
    pair.filter = { side, packet in
      if side == .left, packet.withUnsafeBytes({ SCTPPacket($0)?.chunks.contains { $0.kind == .reconfiguration } }) == true {
        requests.append(packet)
      }
      return packet
    }
    pair.ends[0].reset([1])
    pair.run(.seconds(1))
    try pair.ends[0].send(SCTPMessage(1, number: 1, size: 10))
    pair.run(.seconds(1))
    #expect(requests.count == 1)
    for request in requests { pair.deliver(request, to: .right) }
    try pair.ends[0].send(SCTPMessage(1, number: 2, size: 10))
    pair.run(.seconds(1))
    #expect(pair.messages(.right).map(\.number) == [1, 2])
    #expect(pair.events[1].filter { $0 == .remoteReset([1]) }.count == 1)
  }
}

extension SCTPEvent {
  var isLocalReset: Bool { if case .localReset = self { true } else { false } }
}

extension [SCTPEvent] {
  /// The number of accepted local resets of a stream.
  func resets(of stream: UInt16) -> Int {
    count { if case .localReset(let streams, true) = $0 { streams.contains(stream) } else { false } }
  }
}
