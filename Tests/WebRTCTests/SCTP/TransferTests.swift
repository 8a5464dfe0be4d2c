import RoomLinkModel
import RoomRTP
import Testing

@testable import RoomWebRTC

@Suite("SCTP transfers over bad links")
struct TransferTests {
  /// Sends what the buffer accepts until all is sent; returns the messages that arrived.
  private func transfer(_ pair: AssociationPair, _ messages: [SCTPMessage], limit: Duration = .seconds(900)) -> [SCTPMessage] {
    var next = 0
    var arrived: [SCTPMessage] = []
    _ = pair.run(limit) {
      while next < messages.count, (try? pair.ends[0].send(messages[next])) != nil { next += 1 }
      pair.flush()
      arrived += pair.takeMessages(.right)
      return arrived.count >= messages.count
    }
    return arrived
  }

  @Test("everything arrives once and in order", arguments: [0, 0.01, 0.05, 0.2])
  func reliable(loss: Double) {
    let conditions = LinkConditions(
      loss: loss, delay: 20_000, jitter: 5000, reorder: loss, reorderDelay: 10_000, duplication: loss)
    let pair = AssociationPair.connected(conditions: conditions, seed: 7)
    let messages = (0..<60).map { SCTPMessage(UInt16($0 % 3), number: UInt32($0), size: 4 + $0 * 700 % 40_000) }
    let start = pair.now
    let arrived = transfer(pair, messages)
    for stream in 0..<3 {
      #expect(arrived.filter { $0.stream == stream } == messages.filter { $0.stream == stream })
    }
    #expect(arrived.count == messages.count)
    // 1.2 MB at 40 ms of round trip; without loss, slow start is all that takes time.
    #expect(pair.now - start < (loss == 0 ? 1_000_000 : loss < 0.1 ? 20_000_000 : 300_000_000))
    #expect(pair.closure(.left) == nil && pair.closure(.right) == nil)
  }

  @Test("a bottleneck with a short queue is used to 80 % at least")
  func bottleneck() {
    var conditions = LinkConditions(delay: 20_000)
    conditions.limit(rate: 8_000_000, queueing: 60)
    let pair = AssociationPair.connected(conditions: conditions)
    let start = pair.now
    let arrived = transfer(pair, (0..<80).map { SCTPMessage(0, number: $0, size: 50_000) })
    #expect(arrived.count == 80)
    // 4 MB take 4 s.
    #expect(pair.now - start < 5_000_000, "\(pair.now - start) µs")
  }

  @Test("a lost message of one stream does not delay the other")
  func streams() throws {
    let pair = AssociationPair.connected()
    var count = 0
    pair.filter = { side, packet in
      if side == .left { count += 1 }
      return side == .left && count == 1 ? nil : packet
    }
    try pair.ends[0].send(SCTPMessage(1, number: 1, size: 1000))
    try pair.ends[0].send(SCTPMessage(2, number: 2, size: 1000))
    try pair.ends[0].send(SCTPMessage(1, number: 3, size: 1000))
    try pair.ends[0].send(SCTPMessage(1, number: 4, size: 1000, isUnordered: true))
    pair.run(.milliseconds(15))
    #expect(pair.messages(.right).map(\.number) == [2, 4])
    pair.run(.seconds(2))
    #expect(pair.messages(.right).map(\.number) == [2, 4, 1, 3])
  }

  @Test("a walk of random messages, limits and faults delivers what RFC 3758 allows", arguments: 0..<6)
  func walk(seed: UInt64) throws {
    var random = RoomLinkModel.SeededGenerator(seed: seed)
    let pair = AssociationPair.connected(seed: seed)
    let sizes = [1, 100, 1132, 1133, 3000, 30_000]
    var sent: [[SCTPMessage]] = [[], []]
    var arrived: [[SCTPMessage]] = [[], []]
    for step in 0..<150 {
      if step % 10 == 0 {
        for side in 0..<2 {
          pair.links[side].conditions = LinkConditions(
            loss: [0, 0.02, 0.1, 0.3][Int.random(in: 0..<4, using: &random)],
            burst: [1, 4][Int.random(in: 0..<2, using: &random)],
            delay: .random(in: 0...50_000, using: &random), jitter: .random(in: 0...20_000, using: &random),
            reorder: [0, 0.1][Int.random(in: 0..<2, using: &random)],
            duplication: [0, 0.1][Int.random(in: 0..<2, using: &random)])
        }
      }
      let side = Int.random(in: 0..<2, using: &random)
      // Even streams are reliable, odd ones are not. Number and size survive in the payload of four bytes at least.
      let stream = UInt16.random(in: 0..<6, using: &random)
      var message = SCTPMessage(
        stream, number: UInt32(step), size: max(4, sizes[Int.random(in: 0..<sizes.count, using: &random)]),
        isUnordered: stream >= 4)
      if stream % 2 == 1 {
        message.reliability =
          Bool.random(using: &random)
          ? SCTPMessage.Reliability.retransmissions(Int.random(in: 0..<3, using: &random))
          : SCTPMessage.Reliability.until(pair.now.advanced(milliseconds: .random(in: 0..<300, using: &random)))
      }
      if (try? pair.ends[side].send(message)) != nil { sent[side].append(message) }
      pair.run(.milliseconds(Int.random(in: 0..<60, using: &random)))
      for receiver in 0..<2 { arrived[1 - receiver] += pair.takeMessages(receiver == 0 ? .left : .right) }
    }
    for side in 0..<2 { pair.links[side].conditions = LinkConditions(delay: 10_000) }
    #expect(pair.run(.seconds(60)) { pair.ends[0].unacknowledged == 0 && pair.ends[1].unacknowledged == 0 })
    for receiver in 0..<2 { arrived[1 - receiver] += pair.takeMessages(receiver == 0 ? .left : .right) }
    #expect(pair.closure(.left) == nil && pair.closure(.right) == nil)
    for side in 0..<2 {
      for stream in 0..<6 as Range<UInt16> {
        let expected = sent[side].filter { $0.stream == stream }.map(\.number)
        let got = arrived[side].filter { $0.stream == stream }.map(\.number)
        if stream % 2 == 0, stream < 4 { #expect(got == expected, "stream \(stream)") }
        if stream == 4 { #expect(got.sorted() == expected, "stream \(stream)") }
        #expect(Set(got).count == got.count, "no message arrives twice")
        #expect(Set(got).isSubset(of: expected))
        if stream < 4 { #expect(got == got.sorted(), "the order of stream \(stream)") }
      }
      for message in arrived[side] {
        #expect(message.payload.dropFirst(4).allSatisfy { $0 == UInt8(truncatingIfNeeded: message.number &* 31) })
      }
    }
  }

  @Test("a closed window stops the other side, and opens again")
  func zeroWindow() throws {
    var small = SCTPConfiguration()
    small.receiveWindow = 20_000
    let pair = AssociationPair.connected(.init(), small)
    pair.takes[1] = false
    for number in 0..<40 { try pair.ends[0].send(SCTPMessage(0, number: UInt32(number), size: 1000)) }
    pair.run(.seconds(5))
    let before = pair.packets[0]
    #expect(pair.ends[0].bufferedAmount(of: 0) > 15_000, "the rest waits")
    pair.run(.seconds(200))
    #expect(pair.packets[0] - before < 60, "only probes are sent")
    #expect(pair.closure(.left) == nil, "probes are answered")
    pair.takes[1] = true
    let opened = pair.now
    #expect(pair.run(.seconds(20)) { pair.messages(.right).count == 40 })
    #expect(pair.now - opened < 500_000, "the open window is announced")
    #expect(pair.messages(.right).map(\.number) == Array(0..<40))
  }
}
