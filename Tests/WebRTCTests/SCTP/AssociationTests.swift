import RoomLinkModel
import RoomRTP
import Testing

@testable import RoomWebRTC

@Suite("SCTP associations")
struct AssociationTests {
  @Test("a checksum is that of RFC 3720")
  func checksum() {
    // RFC 3720 §B.4 has 32 zero bytes; the checksum field counts as zero too.
    let zeros = [UInt8](repeating: 0, count: 32)
    #expect(zeros.withUnsafeBytes { CRC32C.checksum(ofPacket: $0) } == 0x8A91_36AA)
    let ascending = (0..<32).map { UInt8($0 >= 8 && $0 < 12 ? 0xFF : $0) }
    var plain: UInt32 = .max
    for (index, byte) in ascending.enumerated() {
      plain ^= UInt32((8..<12).contains(index) ? 0 : byte)
      for _ in 0..<8 { plain = plain & 1 == 0 ? plain >> 1 : plain >> 1 ^ 0x82F6_3B78 }
    }
    #expect(ascending.withUnsafeBytes { CRC32C.checksum(ofPacket: $0) } == ~plain)
  }

  @Test("messages of all sizes arrive in both directions, and nothing remains")
  func messages() throws {
    let pair = AssociationPair.connected()
    #expect(pair.events[0] == [.connected(streams: 1024)])
    #expect(pair.events[1] == [.connected(streams: 1024)])
    let sizes = [1, 4, 1131, 1132, 1133, 5000, 100_000, 262_144]
    for (number, size) in sizes.enumerated() {
      let message = SCTPMessage(UInt16(number), number: UInt32(number), size: size)
      try pair.ends[0].send(message)
      try pair.ends[1].send(message)
    }
    pair.run { pair.messages(.left).count == sizes.count && pair.messages(.right).count == sizes.count }
    #expect(pair.messages(.left).map(\.payload.count).sorted() == sizes)
    #expect(pair.messages(.right).map(\.payload.count).sorted() == sizes)
    for message in pair.messages(.right) {
      #expect(message == SCTPMessage(message.stream, number: UInt32(message.stream), size: message.payload.count))
    }
    pair.run(.seconds(2))
    #expect(pair.ends[0].unacknowledged == 0 && pair.ends[1].unacknowledged == 0)
  }

  @Test("both sides may begin at once", arguments: [0, 1, 2, 3])
  func collision(lost: Int) {
    let pair = AssociationPair()
    var count = 0
    pair.filter = { _, packet in
      count += 1
      return count == lost ? nil : packet
    }
    pair.ends[0].start(now: pair.now)
    pair.ends[1].start(now: pair.now)
    #expect(pair.run { pair.ends[0].isConnected && pair.ends[1].isConnected })
    try? pair.ends[0].send(SCTPMessage(0, number: 7, size: 10))
    #expect(pair.run { pair.messages(.right).map(\.number) == [7] })
    #expect(pair.events.map { $0.filter { $0 == .connected(streams: 1024) }.count } == [1, 1])
  }

  @Test("an abort in answer to the first packet is like its loss")
  func abortedStart() {
    let pair = AssociationPair()
    pair.ends[0].start(now: pair.now)
    let abort = SCTPWriter.alone(.abort)
    var writer = SCTPWriter(from: 5000, to: 5000, tag: pair.ends[0].setup.localTag, limit: 100)
    writer.append(chunk: abort)
    pair.filter = { _, packet in pair.packets[0] == 1 ? nil : packet }
    pair.flush()
    pair.deliver(writer.finish(), to: .left)
    #expect(pair.closure(.left) == nil)
    #expect(pair.run { pair.ends[0].isConnected && pair.ends[1].isConnected })
  }

  @Test("a start without an answer ends after all attempts")
  func noAnswer() {
    let pair = AssociationPair(conditions: LinkConditions(loss: 1))
    pair.ends[0].start(now: pair.now)
    pair.run(.seconds(300)) { pair.closure(.left) != nil }
    #expect(pair.closure(.left) == .noAnswer)
    #expect(pair.packets[0] == 9)
  }

  @Test("a silent other side ends the association")
  func lost() throws {
    let pair = AssociationPair.connected()
    try pair.ends[0].send(SCTPMessage(0, number: 1, size: 10))
    pair.links[1].conditions.loss = 1
    pair.run(.seconds(600)) { pair.closure(.left) != nil }
    #expect(pair.closure(.left) == .lost)
    #expect(pair.ends[0].deadline == nil && pair.ends[0].unacknowledged == 0)
  }

  @Test("silence is noticed by heartbeats")
  func heartbeat() {
    let pair = AssociationPair.connected()
    pair.run(.seconds(100))
    #expect(pair.closure(.left) == nil && pair.ends[0].roundTrip == 20_000)
    for side in 0..<2 { pair.links[side].conditions.loss = 1 }
    pair.run(.seconds(600)) { pair.closure(.left) != nil && pair.closure(.right) != nil }
    #expect(pair.closure(.left) == .lost && pair.closure(.right) == .lost)
  }

  @Test("an abort ends both sides, and frees them")
  func abort() throws {
    let pair = AssociationPair.connected()
    try pair.ends[0].send(SCTPMessage(0, number: 1, size: 10_000))
    pair.ends[0].abort()
    pair.run(.seconds(1))
    #expect(pair.closure(.left) == .aborted)
    #expect(pair.closure(.right) == .abortedByRemote(cause: 12))
    #expect(throws: SCTPSendError.notConnected) { try pair.ends[1].send(SCTPMessage(0, number: 1, size: 1)) }
  }

  @Test("a shutdown delivers what was queued; both sides may ask for it", arguments: [false, true])
  func shutdown(byBoth: Bool) throws {
    let pair = AssociationPair.connected(conditions: LinkConditions(loss: 0.1, delay: 10_000))
    for number in 0..<50 { try pair.ends[0].send(SCTPMessage(0, number: UInt32(number), size: 3000)) }
    pair.ends[0].shutdown(now: pair.now)
    if byBoth { pair.ends[1].shutdown(now: pair.now) }
    pair.run(.seconds(300)) { pair.closure(.left) != nil && pair.closure(.right) != nil }
    #expect(pair.closure(.left) == .shutdown && pair.closure(.right) == .shutdown)
    #expect(pair.messages(.right).map(\.number) == Array(0..<50))
  }

  @Test("the send buffer, streams and empty messages are limited")
  func limits() throws {
    var configuration = SCTPConfiguration()
    configuration.sendBuffer = 10_000
    let pair = AssociationPair(configuration)
    #expect(throws: SCTPSendError.notConnected) { try pair.ends[0].send(SCTPMessage(0, number: 1, size: 1)) }
    pair.ends[0].start(now: pair.now)
    pair.run { pair.ends[0].isConnected && pair.ends[1].isConnected }
    #expect(throws: SCTPSendError.empty) { try pair.ends[0].send(SCTPMessage(stream: 0, payload: [])) }
    #expect(throws: SCTPSendError.noSuchStream) { try pair.ends[0].send(SCTPMessage(1024, number: 1, size: 1)) }
    try pair.ends[0].send(SCTPMessage(0, number: 1, size: 20_000))
    #expect(throws: SCTPSendError.bufferFull) { try pair.ends[0].send(SCTPMessage(0, number: 2, size: 1)) }
    #expect(pair.ends[0].bufferedAmount(of: 0) == 20_000)
    pair.ends[0].setBufferedAmountLow(5000, of: 0)
    pair.run { pair.events[0].contains(.bufferedAmountLow(stream: 0)) }
    #expect(pair.ends[0].bufferedAmount(of: 0) <= 5000)
    #expect(pair.run { pair.messages(.right).count == 1 && pair.ends[0].unacknowledged == 0 })
    try pair.ends[0].send(SCTPMessage(0, number: 3, size: 9000))
  }

  @Test("a message that is longer than announced ends the association")
  func tooLong() throws {
    var small = SCTPConfiguration()
    small.maximumMessage = 10_000
    let pair = AssociationPair.connected(.init(), small)
    try pair.ends[0].send(SCTPMessage(0, number: 1, size: 10_000))
    try pair.ends[0].send(SCTPMessage(0, number: 1, size: 10_001))
    pair.run(.seconds(5))
    #expect(pair.messages(.right).count == 1)
    #expect(pair.closure(.right) == .violation(.messageTooLong))
    #expect(pair.closure(.left) == .abortedByRemote(cause: 13))
  }
}
