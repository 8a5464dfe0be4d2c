import RoomLinkModel
import RoomRTP
import Testing

@testable import RoomWebRTC

@Suite("Hostile SCTP packets")
struct HostilePacketTests {
  private let now = Instant(microseconds: 5_000_000)

  private func packet(tag: UInt32, from: UInt16 = 5000, _ body: (inout SCTPWriter) -> Void) -> [UInt8] {
    var writer = SCTPWriter(from: from, to: 5000, tag: tag, limit: 1160)
    body(&writer)
    return writer.finish()
  }

  private func initPacket(tag: UInt32 = 9) -> [UInt8] {
    let initiation = Initiation(
      tag: tag, window: 100_000, outgoingStreams: 10, incomingStreams: 10, firstTSN: TSN(100), supportsForwardTSN: true)
    return packet(tag: 0) { initiation.write(.initiation, to: &$0) }
  }

  private func packets(_ association: inout SCTPAssociation, _ now: Instant) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    while let packet = association.nextPacket(now: now) { packets.append(packet) }
    return packets
  }

  private func receive(_ packet: [UInt8], _ association: inout SCTPAssociation, at now: Instant) -> [[UInt8]] {
    packet.withUnsafeBytes { association.receive($0, now: now) }
    return packets(&association, now)
  }

  private func initiation(in packet: [UInt8]?) -> Initiation? {
    packet?.withUnsafeBytes { SCTPPacket($0)?.chunks.lazy.compactMap { Initiation($0) }.first }
  }

  private func cookieEcho(_ answer: Initiation?) -> [UInt8] {
    packet(tag: answer?.tag ?? 0) { writer in
      writer.chunk(.cookieEcho) { $0.append(contentsOf: answer?.cookie ?? []) }
    }
  }

  @Test("an INIT is answered by one packet, and nothing is stored")
  func initiations() throws {
    var server = SCTPAssociation()
    for tag in 1...1000 as ClosedRange<UInt32> {
      let packet = initPacket(tag: tag)
      let answers = receive(packet, &server, at: now)
      #expect(answers.count == 1 && answers[0].count <= 4 * packet.count)
      #expect(server.deadline == nil && server.nextEvent() == nil && server.unacknowledged == 0)
    }
  }

  @Test("a cookie is accepted once signed, in time, with its tag")
  func cookies() throws {
    var server = SCTPAssociation()
    let answer = initiation(in: receive(initPacket(), &server, at: now).first)
    let cookie = try #require(answer?.cookie)
    // Changed in any byte it is worthless.
    for byte in cookie.indices {
      var forged = answer
      forged?.cookie?[byte] ^= 1
      #expect(receive(cookieEcho(forged), &server, at: now).isEmpty)
    }
    var other = answer
    other?.tag ^= 1
    #expect(receive(cookieEcho(other), &server, at: now).isEmpty)
    // A minute later it is stale.
    let late = now.advanced(milliseconds: 60_001)
    let stale = receive(cookieEcho(answer), &server, at: late)
    #expect(stale.count == 1 && !server.isConnected)
    #expect(stale.first?.withUnsafeBytes { SCTPPacket($0)?.chunks.first { _ in true }?.kind } == .error)
    #expect(!receive(cookieEcho(answer), &server, at: now).isEmpty)
    #expect(server.isConnected && server.nextEvent() == .connected(streams: 10))
    // Replayed it changes nothing.
    #expect(receive(cookieEcho(answer), &server, at: late).count == 1)
    #expect(server.isConnected && server.nextEvent() == nil)
  }

  @Test("a stale cookie is replaced by a new one")
  func staleCookie() {
    let pair = AssociationPair()
    var isHeld = true
    var echoes = 0
    pair.filter = { _, packet in
      let isEcho = packet.withUnsafeBytes { SCTPPacket($0)?.chunks.contains { $0.kind == .cookieEcho } } == true
      echoes += isEcho ? 1 : 0
      return isEcho && isHeld ? nil : packet
    }
    var patient = SCTPConfiguration()
    patient.maximumStarts = 20
    pair.ends[0] = SCTPAssociation(patient)
    pair.ends[0].start(now: pair.now)
    pair.run(.seconds(70))
    #expect(echoes > 3)
    isHeld = false
    #expect(pair.run(.seconds(40)) { pair.ends[0].isConnected && pair.ends[1].isConnected })
  }

  @Test("packets with a wrong checksum, tag or port are dropped")
  func wrongPackets() throws {
    let pair = AssociationPair.connected()
    var captured: [UInt8] = []
    pair.filter = { side, packet in
      if side == .left { captured = packet }
      return side == .left ? nil : packet
    }
    try pair.ends[0].send(SCTPMessage(0, number: 1, size: 100))
    pair.flush()
    let tag = captured.withUnsafeBytes { $0.bigEndian32(at: 4) }
    for index in captured.indices {
      var changed = captured
      changed[index] ^= 0x10
      pair.deliver(changed, to: .right)
    }
    pair.deliver(packet(tag: tag &+ 1) { $0.chunk(.abort) { _ in } }, to: .right)
    pair.deliver(packet(tag: tag &+ 1) { $0.chunk(.abort, flags: 1) { _ in } }, to: .right)
    pair.deliver(packet(tag: tag, from: 5001) { $0.chunk(.abort) { _ in } }, to: .right)
    #expect(pair.ends[1].dropped == captured.count + 3)
    #expect(pair.messages(.right).isEmpty && pair.closure(.right) == nil)
    pair.deliver(captured, to: .right)
    #expect(pair.messages(.right).map(\.number) == [1])
  }

  @Test("fragments that never end occupy the window, no more; gaps are limited")
  func flood() throws {
    var configuration = SCTPConfiguration()
    configuration.receiveWindow = 50_000
    var server = SCTPAssociation(configuration)
    let answer = initiation(in: receive(initPacket(), &server, at: now).first)
    _ = receive(cookieEcho(answer), &server, at: now)
    let tag = try #require(answer?.tag)
    var sack: (window: UInt32, gaps: Int) = (0, 0)
    var largest = 0
    for number in 1...4000 as ClosedRange<UInt32> {
      let chunk = packet(tag: tag) { writer in
        // Every second TSN is missing at first; then all are fragments in the middle of a message.
        let tsn = number < 200 ? 100 + 2 * number : 400 + number
        writer.chunk(.data, flags: number % 3 == 0 ? 4 : 0) { writer in
          writer.append(tsn)
          writer.append(UInt16(truncatingIfNeeded: number % 12))
          writer.append(UInt16(truncatingIfNeeded: number))
          writer.append(UInt32(51))
          writer.append(UInt8(1))
        }
      }
      for packet in receive(chunk, &server, at: now) {
        largest = max(largest, packet.count)
        packet.withUnsafeBytes { bytes in
          for chunk in SCTPPacket(bytes)?.chunks.compactMap({ SackChunk($0) }) ?? [] { sack = (chunk.window, chunk.count) }
        }
      }
    }
    #expect(largest <= 1160 && sack.gaps <= 256 && sack.window == 0)
    #expect(server.isConnected && server.nextEvent() == .connected(streams: 10))
    #expect(server.nextEvent() == nil)
  }

  @Test("a jump of FORWARD-TSN over half of all numbers takes no time")
  func jump() throws {
    let pair = AssociationPair.connected()
    var tag: UInt32 = 0
    pair.filter = { side, packet in
      if side == .left { tag = packet.withUnsafeBytes { $0.bigEndian32(at: 4) } }
      return packet
    }
    try pair.ends[0].send(SCTPMessage(0, number: 1, size: 100))
    pair.run(.milliseconds(15))
    let far = UInt32.random(in: .min ... .max)
    for jump in 0..<8 as Range<UInt32> {
      pair.deliver(
        packet(tag: tag) { writer in
          writer.chunk(.forwardTSN) { writer in
            writer.append(far &+ jump &* 0x2000_0000)
            for stream in 0..<280 as Range<UInt16> {
              writer.append(stream)
              writer.append(UInt16(0x7FFF))
            }
          }
        }, to: .right)
    }
    #expect(pair.closure(.right) == nil)
  }

  @Test("an acknowledgement of data that was never sent, and empty data, end the association", arguments: [false, true])
  func violations(isEmptyData: Bool) throws {
    let pair = AssociationPair.connected()
    var (tag, sentTSN, receivedTSN) = (UInt32(0), UInt32(0), UInt32(0))
    pair.filter = { side, packet in
      packet.withUnsafeBytes { bytes in
        if side == .left {
          tag = bytes.bigEndian32(at: 4)
          receivedTSN = bytes.bigEndian32(at: 16)
        } else {
          sentTSN = bytes.bigEndian32(at: 16)
        }
      }
      return packet
    }
    try pair.ends[0].send(SCTPMessage(0, number: 1, size: 100))
    try pair.ends[1].send(SCTPMessage(0, number: 1, size: 100))
    pair.flush()
    let hostile = packet(tag: tag) { writer in
      writer.chunk(isEmptyData ? .data : .sack, flags: 3) { writer in
        writer.append(isEmptyData ? receivedTSN &+ 1 : sentTSN &+ 1)
        writer.append(UInt64(0))
      }
    }
    pair.deliver(hostile, to: .right)
    #expect(pair.closure(.right) == .violation(isEmptyData ? .emptyData : .unsentAcknowledged))
    pair.run(.seconds(1))
    #expect(pair.closure(.left) == .abortedByRemote(cause: isEmptyData ? 9 : 13))
  }
}
