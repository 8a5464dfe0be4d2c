import Testing

@testable import RoomRTP

@Suite struct AV1Tests {
  private static let delimiter: [UInt8] = [0x12, 0x00]
  /// OBUs without sizes, as they are sent: a sequence header, a key frame, a predicted frame.
  private static let sequence: [UInt8] = [0x08, 1, 2, 3]
  private static let key: [UInt8] = [0x30, 0x10, 7, 8, 9]
  private static let inter: [UInt8] = [0x30, 0x30, 7]

  /// Returns an OBU in the form that a decoder reads.
  private func sized(_ unit: [UInt8]) -> [UInt8] { [unit[0] | 0x02, UInt8(unit.count - 1)] + unit.dropFirst() }

  /// Joins payloads; nil if one of them is rejected.
  private func join(_ payloads: [[UInt8]]) -> (data: [UInt8], isKeyFrame: Bool)? {
    var depacketizer = AV1Depacketizer()
    for payload in payloads where !payload.read({ depacketizer.append($0) }) { return nil }
    return depacketizer.take()
  }

  @Test("OBUs get their sizes back after a delimiter, whether or not their count is given")
  func whole() throws {
    let expected = Self.delimiter + sized(Self.sequence) + sized(Self.key)
    let counted = try #require(join([[0x28] + [4] + Self.sequence + Self.key]))
    #expect(counted.data == expected && counted.isKeyFrame)
    let uncounted = try #require(join([[0x08] + [4] + Self.sequence + [5] + Self.key]))
    #expect(uncounted.data == expected && uncounted.isKeyFrame)
    let single = try #require(join([[0x10] + Self.inter]))
    #expect(single.data == Self.delimiter + sized(Self.inter) && !single.isKeyFrame)
    // A key frame without its sequence header is not a starting point, nor is a predicted frame with one.
    #expect(try !#require(join([[0x10] + Self.key])).isKeyFrame)
    #expect(try !#require(join([[0x28] + [4] + Self.sequence + Self.inter])).isKeyFrame)
  }

  @Test("an OBU continues across three packets")
  func fragments() throws {
    let unit = try #require(join([[0x68, 4] + Self.sequence + [0x30, 0x10], [0xd0, 7, 8], [0x90, 9]]))
    #expect(unit.data == Self.delimiter + sized(Self.sequence) + sized(Self.key) && unit.isKeyFrame)
    // The end of one OBU and the whole next one in one packet.
    let shared = try #require(join([[0x58, 0x08, 1], [0xa0, 2, 2, 3] + Self.key]))
    #expect(shared.data == Self.delimiter + sized(Self.sequence) + sized(Self.key))
  }

  @Test("a temporal unit is split into payloads of equal size, which a receiver joins", arguments: [1, 300, 1100, 5000])
  func split(size: Int) throws {
    let content = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    for (headers, first, isKeyFrame) in [([Self.sequence], 0x10, true), ([], 0x30, false)] as [([[UInt8]], UInt8, Bool)] {
      var frame: [UInt8] = [0x32]
      AV1.append(size + 1, to: &frame)
      frame += [first] + content
      let unit = Self.delimiter + headers.flatMap(sized) + frame
      let payloads = AV1Packetizer(maximumPayloadSize: 1100).packetize(unit)
      let sizes = payloads.map(\.count)
      #expect(try #require(sizes.max()) <= 1100)
      #expect(payloads.count <= size / 1000 + 1)
      #expect(payloads[0].read { AV1.startsKeyFrame($0) } == isKeyFrame)
      #expect(payloads.dropFirst().allSatisfy { !$0.read { AV1.startsKeyFrame($0) } })
      let joined = try #require(join(payloads))
      #expect(joined.data == unit && joined.isKeyFrame == isKeyFrame)
    }
  }

  @Test("more OBUs than a payload counts continue in the next; padding is left out")
  func manyUnits() throws {
    let units = [Self.sequence, Self.key, Self.inter, Self.inter, Self.inter].flatMap(sized)
    let payloads = AV1Packetizer().packetize(Self.delimiter + units + [0x7a, 1, 0x80])
    #expect(payloads.count == 2)
    #expect(try #require(join(payloads)).data == Self.delimiter + units)
  }

  @Test(
    "data that is not a temporal unit is not sent",
    arguments: [[], [0x12, 0x00], [0x80], [0x32, 5, 1], [0x36], [0x32, 0xff]] as [[UInt8]])
  func notUnits(data: [UInt8]) { #expect(AV1Packetizer().packetize(data).isEmpty) }

  @Test("existing sizes and extensions stay valid; delimiters, padding and tile lists are removed")
  func kept() throws {
    let extended: [UInt8] = [0x36, 0x08, 2, 0x30, 7]
    let unit = try #require(join([[0x00, 2, 0x12, 0, 5] + extended + [1, 0x78, 2, 0x40, 1]]))
    #expect(unit.data == Self.delimiter + [0x36, 0x08, 2, 0x30, 7])
    let long = [0x30] + [UInt8](repeating: 0x30, count: 300)
    #expect(try #require(join([[0x10] + long])).data == Self.delimiter + [0x32, 0xac, 0x02] + long.dropFirst())
  }

  @Test(
    "incomplete temporal units are rejected",
    arguments: [
      // Nothing; continued and continuing wrongly; wrong lengths; fewer or more units than announced; a forbidden bit.
      [[]], [[0x10]], [[0x90, 1]], [[0x50, 0x30, 1]], [[0x50, 0x30, 1], [0x10, 0x30, 1]], [[0x20, 9, 0x30, 1]], [[0x00, 0x80]],
      [[0x30, 1, 0x30, 1, 0x30]], [[0x10, 0x82, 1]], [[0x10, 0x32, 5, 1]], [[0x10, 0x34]],
      [[0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]],
    ] as [[[UInt8]]])
  func broken(payloads: [[UInt8]]) { #expect(join(payloads) == nil) }

  @Test("no input causes reads out of bounds")
  func fuzzed() {
    let seeds: [[UInt8]] = [
      [0x68, 4] + Self.sequence + [0x30, 0x10], [0xd0, 7, 8], [0x90, 9], [0x00, 2, 0x12, 0, 5, 0x36, 0x08, 2, 0x30, 7],
    ]
    var depacketizer = AV1Depacketizer()
    fuzz(seeds: seeds, rounds: 20_000) { memory in
      if !depacketizer.append(UnsafeRawBufferPointer(memory)) { _ = depacketizer.take() }
    }
  }
}
