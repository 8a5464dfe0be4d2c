import RoomRTP
import Testing

@Suite struct RTPExtensionsTests {
  private func packet(profile: UInt16, _ block: [UInt8]) -> [UInt8] {
    [0x90] + [UInt8](repeating: 0, count: 11)
      + [UInt8(profile >> 8), UInt8(profile & 0xff), 0, UInt8(block.count / 4)] + block
  }

  private func elements(_ bytes: [UInt8]) throws -> [RTPExtensions.Element] {
    let header = try #require(bytes.parsedHeader)
    return bytes.read { Array(RTPExtensions(packet: $0, header: header)) }
  }

  @Test("the reader reads the writer's output")
  func roundTrip() throws {
    var bytes = [UInt8](repeating: 0xff, count: 64)
    let (length, timeOffset, sequenceOffset) = bytes.withUnsafeMutableBytes { memory in
      var writer = RTPHeaderWriter(
        memory, payloadType: 111, sequenceNumber: 65535, timestamp: 0xffff_ffff, ssrc: 3, marker: true)
      [UInt8]("aud0".utf8).withUnsafeBytes { writer.append(id: 1, bytes: $0) }
      writer.append(id: 2, audioLevel: AudioLevel(level: 30, voice: true))
      writer.append(id: 3, absSendTime: AbsSendTime(rawValue: 0x12_3456))
      writer.append(id: 4, transportSequence: 0xabcd)
      #expect(!writer.overflowed)
      return (writer.finish(), writer.absSendTimeOffset, writer.transportSequenceOffset)
    }
    bytes.removeLast(bytes.count - length)
    let header = try #require(bytes.parsedHeader)
    #expect(header.headerLength == length)
    #expect(header.marker && header.payloadType == 111 && header.sequenceNumber == 65535)
    bytes.read { raw in
      let extensions = RTPExtensions(packet: raw, header: header)
      #expect(extensions.text(of: 1) == "aud0")
      #expect(extensions.audioLevel(of: 2) == AudioLevel(level: 30, voice: true))
      #expect(extensions.absSendTime(of: 3) == AbsSendTime(rawValue: 0x12_3456))
      #expect(extensions.transportSequence(of: 4) == 0xabcd)
      #expect(extensions.range(of: 3)?.lowerBound == timeOffset)
      #expect(extensions.range(of: 4)?.lowerBound == sequenceOffset)
      #expect(extensions.range(of: 9) == nil)
      #expect(extensions.range(of: 0) == nil)
      let values = RTPExtensionValues(
        packet: raw, header: header, ids: RTPExtensionIDs(mid: 1, absSendTime: 3, transportSequence: 4, audioLevel: 2))
      #expect(values.mid == extensions.range(of: 1))
      #expect(values.rid == nil)
      #expect(values.absSendTime?.rawValue == 0x12_3456)
      #expect(values.transportSequence == 0xabcd)
      #expect(values.audioLevel?.level == 30)
    }
  }

  @Test("an element that does not fit is omitted and reported")
  func overflow() {
    var bytes = [UInt8](repeating: 0, count: 24)
    bytes.withUnsafeMutableBytes { memory in
      var writer = RTPHeaderWriter(memory, payloadType: 1, sequenceNumber: 1, timestamp: 1, ssrc: 1)
      writer.append(id: 1, transportSequence: 7)
      #expect(!writer.overflowed)
      [UInt8](repeating: 1, count: 16).withUnsafeBytes { writer.append(id: 2, bytes: $0) }
      #expect(writer.overflowed)
      #expect(writer.finish() == 20)
    }
    var tiny = [UInt8](repeating: 0, count: 11)
    tiny.withUnsafeMutableBytes { memory in
      var writer = RTPHeaderWriter(memory, payloadType: 1, sequenceNumber: 1, timestamp: 1, ssrc: 1)
      writer.append(id: 1, transportSequence: 7)
      #expect(writer.overflowed)
      #expect(writer.finish() == 0)
    }
  }

  @Test("an id that was not negotiated writes nothing")
  func notAgreed() {
    var bytes = [UInt8](repeating: 0, count: 40)
    bytes.withUnsafeMutableBytes { memory in
      var writer = RTPHeaderWriter(memory, payloadType: 1, sequenceNumber: 1, timestamp: 1, ssrc: 1)
      writer.append(id: 0, transportSequence: 7)
      writer.append(id: 0, absSendTime: AbsSendTime(rawValue: 1))
      #expect(!writer.overflowed)
      #expect(writer.finish() == 12)
      #expect(writer.transportSequenceOffset == 0)
    }
  }

  @Test("padding between elements is skipped, and id 15 ends the block")
  func oneByte() throws {
    let found = try elements(packet(profile: 0xbede, [0, 0x10, 9, 0, 0, 0x20, 8, 0xf0, 0x30, 7, 0, 0]))
    #expect(found.map(\.id) == [1, 2])
    #expect(found.map(\.range) == [18..<19, 22..<23])
  }

  @Test("the two-byte form may have empty elements and ids above 14")
  func twoByte() throws {
    let found = try elements(packet(profile: 0x1003, [0x20, 0, 0, 0xff, 2, 1, 2, 0]))
    #expect(found.map(\.id) == [0x20, 0xff])
    #expect(found.map(\.range.count) == [0, 2])
  }

  @Test("an element that overruns the block ends iteration")
  func overrun() throws {
    #expect(try elements(packet(profile: 0xbede, [0x10, 1, 0x2f, 0])).map(\.id) == [1])
    #expect(try elements(packet(profile: 0x1000, [1, 1, 5, 2])).map(\.id) == [1])
  }

  @Test("another profile has no elements")
  func otherProfile() throws { #expect(try elements(packet(profile: 0x1234, [0x10, 1, 0, 0])).isEmpty) }

  @Test("send times continue across their wrap")
  func absSendTime() {
    let early = AbsSendTime(Instant(microseconds: 63_900_000))
    let late = AbsSendTime(Instant(microseconds: 64_100_000))
    #expect(abs(late.microseconds(since: early) - 200_000) < 10)
    #expect(abs(early.microseconds(since: late) + 200_000) < 10)
    #expect(AbsSendTime(Instant(microseconds: 500_000)).rawValue == 1 << 17)
  }

  @Test("padding bytes are added after the packet")
  func padding() throws {
    var bytes = RTPTests.packet(header(1), payload: [1, 2, 3]) + [UInt8](repeating: 0xee, count: 10)
    bytes.withUnsafeMutableBytes { memory in
      #expect(RTPHeaderWriter.pad(memory, length: 15, by: 11) == 15)
      #expect(RTPHeaderWriter.pad(memory, length: 15, by: 10) == 25)
    }
    let parsed = try #require(bytes.parsedHeader)
    #expect(parsed.payloadLength == 3)
    #expect(parsed.paddingLength == 10)
  }
}
