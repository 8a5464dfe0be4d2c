import RoomRTP
import Testing

@Suite struct OtherFormatsTests {
  @Test("names are case-insensitive")
  func names() {
    #expect(PayloadFormat(name: "VP8") == .vp8)
    #expect(PayloadFormat(name: "opus") == .opus)
    #expect(PayloadFormat(name: "H264") == .h264)
    #expect(PayloadFormat(name: "telephone-event") == nil)
  }

  @Test(
    "an Opus packet states its duration",
    arguments: [
      ([0x78], 960), ([0xf8, 1], 960), ([0x08, 1], 960), ([0x19, 1], 5760), ([0x60, 1], 480), ([0x80, 1], 120),
      ([0xfb, 3, 1], 2880),
    ] as [([UInt8], Int)])
  func opus(payload: [UInt8], samples: Int) throws {
    let parsed = try #require(payload.read { OpusPacket(parsing: $0) })
    #expect(parsed.sampleCount == samples)
  }

  @Test(
    "an Opus packet that is empty or longer than 120 ms is rejected",
    arguments: [[], [0x1b, 3], [0xfb], [0xfb, 0]] as [[UInt8]])
  func opusRefused(payload: [UInt8]) { #expect(payload.read { OpusPacket(parsing: $0) } == nil) }

  @Test("VP9 key frames: unpredicted, first of the frame, base layer")
  func vp9() {
    func starts(_ bytes: [UInt8]) -> Bool { bytes.read { PayloadFormat.vp9.startsKeyFrame($0) } }
    #expect(starts([0x08, 1]))
    #expect(starts([0x88, 0x85, 0x01, 1]))
    #expect(!starts([0x48, 1]))
    #expect(!starts([0x00, 1]))
    #expect(starts([0xa8, 0x05, 0x00, 0, 1]))
    #expect(!starts([0xa8, 0x05, 0x02, 0, 1]))
    #expect(!starts([0xa8, 0x85]))
  }

  @Test("AV1 key frames: a new coded video sequence")
  func av1() {
    func starts(_ bytes: [UInt8]) -> Bool { bytes.read { PayloadFormat.av1.startsKeyFrame($0) } }
    #expect(starts([0x18, 1]))
    #expect(!starts([0x10, 1]))
    #expect(!starts([0x88, 1]))
    #expect(!starts([0x08]))
  }

  @Test("redundant blocks are in order, oldest first, the primary last")
  func red() throws {
    let payload: [UInt8] = [0x80 | 111, 0x0f, 0x00 | 0, 2, 0x80 | 111, 0x07, 0x80, 1, 111, 1, 2, 3, 4, 5]
    let blocks = try #require(
      payload.read { raw in
        RedundantAudio(parsing: raw).map { $0.map { ($0.payloadType, $0.timestampOffset, Array($0.data), $0.isPrimary) } }
      })
    #expect(blocks.map(\.0) == [111, 111, 111])
    #expect(blocks.map(\.1) == [960, 480, 0])
    #expect(blocks.map(\.2) == [[1, 2], [3], [4, 5]])
    #expect(blocks.map(\.3) == [false, false, true])
  }

  @Test(
    "RED with inconsistent lengths is rejected",
    arguments: [
      [], [0x80], [0x80, 0, 0, 5, 111, 1, 2], [0x80, 0, 0, 0],
      // 1023 bytes announced, 3 present.
      [0x80 | 111, 0x0f, 0x03, 0xff, 111, 1, 2, 3],
      // 127 blocks, each of no byte, and one of a byte.
      [UInt8](Array(repeatElement([0x80 | 111, 0, 0, 0], count: 126).joined())) + [111, 1],
    ] as [[UInt8]])
  func redRefused(payload: [UInt8]) { #expect(payload.read { RedundantAudio(parsing: $0) } == nil) }

  @Test("RTX wraps a packet with its extensions and padding, and unwraps it")
  func rtx() throws {
    var original = [UInt8](repeating: 0, count: 60)
    let length = original.withUnsafeMutableBytes { memory in
      var writer = RTPHeaderWriter(memory, payloadType: 96, sequenceNumber: 0xfffe, timestamp: 77, ssrc: 5, marker: true)
      writer.append(id: 3, transportSequence: 9)
      return writer.finish()
    }
    original.replaceSubrange(length..<60, with: (length..<60).map { UInt8($0) })
    original.withUnsafeMutableBytes { _ = RTPHeaderWriter.pad($0, length: 56, by: 4) }
    let header = try #require(original.parsedHeader)

    var wrapped = [UInt8](repeating: 0, count: 70)
    let wrappedLength = original.read { source in
      wrapped.withUnsafeMutableBytes {
        Retransmission.wrap(source, header: header, payloadType: 97, ssrc: 6, sequenceNumber: 1000, into: $0)
      }
    }
    #expect(wrappedLength == 62)
    wrapped.removeLast(8)
    let outer = try #require(wrapped.parsedHeader)
    #expect(outer.payloadType == 97 && outer.ssrc == 6 && outer.sequenceNumber == 1000 && outer.marker)
    #expect(wrapped.read { Retransmission.originalSequenceNumber(packet: $0, header: outer) } == 0xfffe)
    let unwrapped = wrapped.withUnsafeMutableBytes { memory in
      Retransmission.unwrap(memory, header: outer, payloadType: 96, ssrc: 5).map { Array($0) }
    }
    #expect(unwrapped == original)
    var small = [UInt8](repeating: 0, count: 61)
    let refused = original.read { source in
      small.withUnsafeMutableBytes {
        Retransmission.wrap(source, header: header, payloadType: 97, ssrc: 6, sequenceNumber: 1, into: $0)
      }
    }
    #expect(refused == 0)
  }

  @Test("RTX that is only padding has no original packet")
  func rtxProbe() throws {
    var probe: [UInt8] = [0xa0, 97] + [UInt8](repeating: 0, count: 10) + [0, 0, 3]
    let header = try #require(probe.parsedHeader)
    let unwrapped = probe.withUnsafeMutableBytes { Retransmission.unwrap($0, header: header, payloadType: 96, ssrc: 1)?.count }
    #expect(unwrapped == nil)
  }

  @Test("no input causes reads out of bounds")
  func fuzzed() {
    let seeds: [[UInt8]] = [
      [0x80 | 111, 0x0f, 0, 2, 0x80 | 111, 0x07, 0x80, 1, 111, 1, 2, 3, 4, 5],
      [0xa0, 97] + [UInt8](repeating: 0, count: 16) + [1],
    ]
    fuzz(seeds: seeds, rounds: 20_000) { memory in
      let bytes = UnsafeRawBufferPointer(memory)
      if let blocks = RedundantAudio(parsing: bytes) { for block in blocks { _ = block.data.reduce(0, ^) } }
      _ = OpusPacket(parsing: bytes)
      if let header = RTPHeader(parsing: bytes) { _ = Retransmission.unwrap(memory, header: header, payloadType: 1, ssrc: 1) }
    }
  }
}
