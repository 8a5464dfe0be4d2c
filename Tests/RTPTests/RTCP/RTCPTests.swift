import RoomRTP
import Testing

/// Parses the packets of a compound and whether it ended correctly. The views are valid only within `body`.
private func parse(_ bytes: [UInt8], _ body: ([RTCPPacket], Bool) -> Void) {
  bytes.read { raw in
    var reader = RTCPReader(raw)
    var packets: [RTCPPacket] = []
    while let packet = reader.next() { packets.append(packet) }
    body(packets, reader.isMalformed)
  }
}

@Suite struct RTCPTests {
  static let block = ReportBlock(
    ssrc: 7, fractionLost: 12, cumulativeLost: -3, highestSequence: 0x1_0005, jitter: 99, lastSenderReport: 0xaabb_ccdd,
    delaySinceLastSenderReport: 65536)

  static let compound = RTCPWriter.compound { writer in
    writer.senderReport(
      SenderInformation(
        ssrc: 1, ntpTime: NTPTime(rawValue: 0x0102_0304_0506_0708), rtpTimestamp: 5, packetCount: 6, octetCount: 7))
    writer.append(block)
    writer.append(ReportBlock(ssrc: 8))
    writer.sourceDescription(ssrc: 1, canonicalName: "alice@example")
    writer.nack(sender: 1, media: 2, sequenceNumbers: [65530, 65535, 0, 10, 11, 500])
    writer.pictureLoss(sender: 1, media: 2)
    writer.fullIntraRequest(sender: 1, media: 2, sequenceNumber: 200)
    writer.bitrateEstimate(sender: 1, bitrate: 2_500_000, streams: [2, 3])
    writer.receiverReport(ssrc: 4)
    writer.append(block)
    writer.goodbye(ssrc: 1)
  }

  @Test("a compound of every packet type parses as it was written")
  func roundTrip() {
    parse(Self.compound) { packets, isMalformed in
      #expect(!isMalformed)
      #expect(packets.count == 8)
      guard case .senderReport(let report) = packets[0], case .sourceDescription(let description) = packets[1],
        case .nack(let nack) = packets[2], case .pictureLoss(let loss) = packets[3],
        case .fullIntraRequest(let request) = packets[4], case .bitrateEstimate(let estimate) = packets[5],
        case .receiverReport(let receiver) = packets[6], case .goodbye(let goodbye) = packets[7]
      else {
        Issue.record("other packets: \(packets)")
        return
      }
      #expect(report.sender.ntpTime.rawValue == 0x0102_0304_0506_0708)
      #expect(report.sender.packetCount == 6 && report.sender.octetCount == 7 && report.sender.rtpTimestamp == 5)
      #expect(Array(report.blocks) == [Self.block, ReportBlock(ssrc: 8)])
      let names = description.map { ($0.ssrc, String(decoding: $0.name, as: UTF8.self)) }
      #expect(names.count == 1)
      #expect(names.first?.0 == 1)
      #expect(names.first?.1 == "alice@example")
      #expect(nack.media == 2)
      #expect(Array(nack) == [65530, 65535, 0, 10, 11, 500])
      #expect(loss.sender == 1 && loss.media == 2)
      #expect(request.map(\.media) == [2])
      #expect(request.first?.sequenceNumber == 200)
      #expect(Array(estimate) == [2, 3])
      #expect(estimate.bitrate <= 2_500_000 && estimate.bitrate > 2_499_980)
      #expect(receiver.ssrc == 4 && Array(receiver.blocks) == [Self.block])
      #expect(Array(goodbye) == [1])
    }
  }

  @Test("names of any length are padded to a multiple of four bytes", arguments: 0...9)
  func canonicalNames(length: Int) {
    let name = String(repeating: "x", count: length)
    let bytes = RTCPWriter.compound { writer in
      writer.sourceDescription(ssrc: 9, canonicalName: name)
      writer.goodbye(ssrc: 9)
    }
    #expect(bytes.count % 4 == 0)
    parse(bytes) { packets, isMalformed in
      #expect(packets.count == 2 && !isMalformed)
      guard case .sourceDescription(let description)? = packets.first else {
        Issue.record("no SDES")
        return
      }
      #expect(description.map { String(decoding: $0.name, as: UTF8.self) } == [name])
    }
  }

  @Test("seventeen consecutive numbers share one item, also across the wrap")
  func nackPacking() {
    let row = (0..<17).map { UInt16(truncatingIfNeeded: 65528 + $0) }
    var asked = 0
    let bytes = RTCPWriter.compound { asked = $0.nack(sender: 1, media: 2, sequenceNumbers: row) }
    #expect(asked == 17)
    #expect(bytes.count == 16)
    #expect(Array(bytes[14...15]) == [0xff, 0xff])
    let longer = RTCPWriter.compound { $0.nack(sender: 1, media: 2, sequenceNumbers: row + [9, 9, 10]) }
    #expect(longer.count == 20)
    parse(longer) { packets, _ in
      guard case .nack(let nack)? = packets.first else {
        Issue.record("no NACK")
        return
      }
      #expect(Array(nack) == row + [9, 10])
    }
  }

  @Test("a NACK contains as many numbers as fit, and returns the count")
  func nackRoom() {
    let bytes = RTCPWriter.compound(capacity: 20) {
      let first = $0.nack(sender: 1, media: 2, sequenceNumbers: [0, 100, 200, 300])
      let second = $0.nack(sender: 1, media: 2, sequenceNumbers: [400])
      #expect(first == 2 && second == 0)
    }
    #expect(bytes.count == 20)
  }

  @Test("a packet that does not fit is omitted entirely")
  func noRoom() {
    let bytes = RTCPWriter.compound(capacity: 15) { writer in
      let written = [writer.pictureLoss(sender: 1, media: 2), writer.goodbye(ssrc: 3), writer.append(Self.block)]
      #expect(written == [true, false, false])
    }
    parse(bytes) { packets, isMalformed in #expect(packets.count == 1 && !isMalformed) }
  }

  @Test("a report has at most 31 blocks")
  func manyBlocks() {
    let bytes = RTCPWriter.compound { writer in
      writer.receiverReport(ssrc: 1)
      let written = (0..<32).map { writer.append(ReportBlock(ssrc: SSRC($0))) }
      #expect(written == Array(repeating: true, count: 31) + [false])
    }
    parse(bytes) { packets, _ in
      guard case .receiverReport(let report)? = packets.first else {
        Issue.record("no report")
        return
      }
      #expect(report.blocks.map(\.ssrc) == (0..<31).map { SSRC($0) })
    }
  }

  @Test("bitrates keep 18 significant bits", arguments: [0, 1, 262_143, 262_144, 1_000_001, 10_000_000_000, UInt64.max])
  func bitrates(bitrate: UInt64) throws {
    let bytes = RTCPWriter.compound { $0.bitrateEstimate(sender: 1, bitrate: bitrate, streams: [5]) }
    parse(bytes) { packets, _ in
      guard case .bitrateEstimate(let estimate)? = packets.first else {
        Issue.record("no REMB")
        return
      }
      #expect(estimate.bitrate <= bitrate)
      #expect(bitrate - estimate.bitrate <= bitrate >> 17)
    }
  }

  @Test("invalid framing stops the reader after the last valid packet")
  func malformed() {
    let good = RTCPWriter.compound { $0.pictureLoss(sender: 1, media: 2) }
    for tail in [[0x81], [0x41, 206, 0, 0], [0x81, 206, 0, 9, 0, 0, 0, 0], [0xa0, 206, 0, 0]] as [[UInt8]] {
      parse(good + tail) { packets, isMalformed in
        #expect(packets.count == 1)
        #expect(isMalformed)
      }
    }
  }

  @Test("a known type with invalid contents is reported as malformed, and the next packet is read")
  func wrongInside() {
    let good = RTCPWriter.compound { $0.pictureLoss(sender: 1, media: 2) }
    parse([0x82, 201, 0, 1, 0, 0, 0, 1] + good) { packets, isMalformed in
      #expect(packets.count == 2 && !isMalformed)
      guard case .malformed(type: 201, format: 2)? = packets.first else {
        Issue.record("\(packets)")
        return
      }
    }
  }

  @Test("unknown types are skipped")
  func unknown() {
    parse([0x80, 210, 0, 1, 1, 2, 3, 4, 0x9f, 206, 0, 0]) { packets, isMalformed in
      #expect(packets.count == 2 && !isMalformed)
      guard case .unknown(type: 210, format: 0)? = packets.first else {
        Issue.record("\(packets)")
        return
      }
    }
  }

  @Test("reading ends for any input")
  func fuzzed() {
    let feedback: [UInt8] = [0x8f, 205, 0, 5, 0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 0, 3, 0, 0, 9, 0, 0x20, 3, 1, 2, 3, 0, 0, 0]
    var seeds = [Self.compound, feedback]
    parse(Self.compound) { _, _ in }
    seeds.append(Array(Self.compound.dropFirst(76)))
    fuzz(seeds: seeds, rounds: 20_000, seed: 3) { memory in
      var reader = RTCPReader(UnsafeRawBufferPointer(memory))
      var statuses = 0
      while let packet = reader.next() {
        switch packet {
        case .senderReport(let report): _ = report.blocks.map(\.ssrc)
        case .receiverReport(let report): _ = report.blocks.map(\.ssrc)
        case .sourceDescription(let description): for name in description { _ = name.name.reduce(0, ^) }
        case .goodbye(let goodbye): _ = Array(goodbye)
        case .nack(let nack): _ = Array(nack)
        case .fullIntraRequest(let request): _ = Array(request)
        case .bitrateEstimate(let estimate): _ = Array(estimate)
        case .transportFeedback(let feedback): for _ in feedback { statuses += 1 }
        case .pictureLoss, .unknown, .malformed: break
        }
      }
      #expect(statuses <= 8192 * 30)
    }
  }
}
