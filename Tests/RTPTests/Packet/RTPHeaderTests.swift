import RoomRTP
import Testing

@Suite struct RTPHeaderTests {
  private static let full: [UInt8] =
    [0xb2, 0xe0, 0x12, 0x34, 0, 0, 0, 9, 0xde, 0xad, 0xbe, 0xef]
    + [0, 0, 0, 1, 0, 0, 0, 2]
    + [0xbe, 0xde, 0, 2, 0x10, 0x31, 0x42, 1, 2, 3, 0, 0]
    + [7, 7, 7, 7, 7] + [0, 0, 3]

  @Test("CSRCs, extension and padding are distinguished from the payload")
  func everything() throws {
    let header = try #require(Self.full.parsedHeader)
    #expect(header.marker)
    #expect(header.payloadType == 96)
    #expect(header.sequenceNumber == 0x1234)
    #expect(header.timestamp == 9)
    #expect(header.ssrc == 0xdead_beef)
    #expect(header.csrcCount == 2)
    #expect(header.extensionProfile == 0xbede)
    #expect(header.extensionOffset == 24)
    #expect(header.extensionLength == 8)
    #expect(header.headerLength == 32)
    #expect(header.payloadLength == 5)
    #expect(header.paddingLength == 3)
    Self.full.read { #expect(header.payload(of: $0).elementsEqual([7, 7, 7, 7, 7])) }
  }

  @Test("a packet may consist of only header and padding")
  func onlyPadding() throws {
    let header = try #require(([0xa0] + [UInt8](repeating: 0, count: 11) + [0, 0, 0, 4]).parsedHeader)
    #expect(header.payloadLength == 0)
    #expect(header.paddingLength == 4)
  }

  @Test(
    "inconsistent lengths are rejected",
    arguments: [
      [],
      [UInt8](repeating: 0x80, count: 11),
      [0x40] + [UInt8](repeating: 0, count: 20),
      [0x8f] + [UInt8](repeating: 0, count: 20),
      [0x90] + [UInt8](repeating: 0, count: 11) + [0xbe, 0xde, 0, 2, 0, 0, 0, 0],
      [0x90] + [UInt8](repeating: 0, count: 13),
      [0xa0] + [UInt8](repeating: 0, count: 11),
      [0xa0] + [UInt8](repeating: 0, count: 11) + [0],
      [0xa0] + [UInt8](repeating: 0, count: 11) + [0, 3],
    ] as [[UInt8]])
  func refused(bytes: [UInt8]) { #expect(bytes.parsedHeader == nil) }

  @Test("offsets stay inside the packet for any input")
  func fuzzed() {
    fuzz(seeds: [Self.full], rounds: 20_000) { memory in
      let bytes = UnsafeRawBufferPointer(memory)
      guard let header = RTPHeader(parsing: bytes) else { return }
      #expect(header.headerLength + header.payloadLength + header.paddingLength == bytes.count)
      #expect(header.payload(of: bytes).count == header.payloadLength)
      for element in RTPExtensions(packet: bytes, header: header) {
        #expect(element.range.lowerBound >= header.extensionOffset)
        #expect(element.range.upperBound <= header.headerLength)
      }
      let ids = RTPExtensionIDs(
        mid: 1, rid: 2, repairedRid: 3, absSendTime: 4, transportSequence: 5, audioLevel: 6,
        dependencyDescriptor: 7)
      let values = RTPExtensionValues(packet: bytes, header: header, ids: ids)
      if let descriptor = values.dependencyDescriptor {
        #expect(descriptor.count >= DependencyDescriptor.minimumLength && descriptor.upperBound <= header.headerLength)
      }
    }
  }
}
