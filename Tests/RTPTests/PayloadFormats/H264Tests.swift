import RoomRTP
import RoomTestSupport
import Testing

@Suite struct H264Tests {
  static let sps: [UInt8] = [0x67, 0x42, 0xe0, 0x1f, 0x8c]
  static let pps: [UInt8] = [0x68, 0xce, 0x3c, 0x80]

  static func unit(_ header: UInt8, _ count: Int) -> [UInt8] { [header] + (1..<max(2, count)).map { UInt8($0 % 250 + 1) } }

  static func annexB(_ units: [[UInt8]]) -> [UInt8] { units.flatMap { [0, 0, 0, 1] + $0 } }

  private func join(_ payloads: [[UInt8]]) -> (data: [UInt8], isKeyFrame: Bool)? {
    var depacketizer = H264Depacketizer()
    for payload in payloads where !payload.read({ depacketizer.append($0) }) { return nil }
    return depacketizer.take()
  }

  @Test("units are found after long and short start codes, without the surrounding zeros")
  func annexB() {
    let bytes: [UInt8] = [0, 0, 0, 1, 0x67, 1, 0, 0, 1, 0x68, 2, 3, 0, 0, 0, 0, 1, 0, 0, 1, 0x65, 0, 0, 3, 9, 0, 0]
    let units = bytes.read { AnnexB($0).map { Array(bytes[$0]) } }
    #expect(units == [[0x67, 1], [0x68, 2, 3], [0x65, 0, 0, 3, 9]])
    #expect([1, 2, 3].read { AnnexB($0).map { $0 } }.isEmpty)
    #expect([].read { AnnexB($0).map { $0 } }.isEmpty)
    #expect(AnnexB.isKeyFrame(bytes))
  }

  @Test("parameter sets share a STAP-A, a large slice becomes FU-As")
  func packetize() throws {
    let slice = Self.unit(0x65, 3000)
    let payloads = try H264Packetizer(maximumPayloadSize: 1100).packetize(
      Self.annexB([[0x09, 0xf0], Self.sps, Self.pps, slice]))
    #expect(payloads.count == 4)
    #expect(payloads[0] == [0x78, 0, 5] + Self.sps + [0, 4] + Self.pps)
    #expect(payloads.dropFirst().map { $0[0] } == [0x7c, 0x7c, 0x7c])
    #expect(payloads.dropFirst().map { $0[1] } == [0x85, 0x05, 0x45])
    #expect(payloads.allSatisfy { $0.count <= 1100 })
    let joined = try #require(join(payloads))
    #expect(joined.data == Self.annexB([Self.sps, Self.pps, slice]))
    #expect(joined.isKeyFrame)
  }

  @Test("mode 0 sends each unit separately and rejects units that do not fit")
  func modeZero() throws {
    let packetizer = H264Packetizer(maximumPayloadSize: 100, mode: .singleUnit)
    let units = [Self.sps, Self.pps, Self.unit(0x65, 100)]
    let payloads = try packetizer.packetize(Self.annexB(units))
    #expect(payloads == units)
    #expect(join(payloads)?.data == Self.annexB(units))
    #expect(throws: H264Packetizer.PacketizationError.unitTooLarge(101)) {
      try packetizer.packetize(Self.annexB([Self.unit(0x65, 101)]))
    }
  }

  @Test("an access unit without a NAL unit is rejected")
  func noUnit() {
    #expect(throws: H264Packetizer.PacketizationError.noUnit) { try H264Packetizer().packetize([1, 2, 3]) }
    #expect(throws: H264Packetizer.PacketizationError.noUnit) { try H264Packetizer().packetize([0, 0, 0, 1, 9, 0xf0]) }
  }

  @Test("access units of any shape survive splitting and joining", arguments: 0..<40 as Range<UInt64>)
  func roundTrip(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let size = Int.random(in: 16...1200, using: &random)
    let units = (0..<Int.random(in: 1...8, using: &random)).map { _ in
      Self.unit(
        [0x41, 0x65, 0x67, 0x68, 0x06, 0x01].randomElement(using: &random) ?? 1, Int.random(in: 2...4000, using: &random))
    }
    let payloads = try H264Packetizer(maximumPayloadSize: size).packetize(Self.annexB(units))
    #expect(payloads.allSatisfy { $0.count <= size })
    let joined = try #require(join(payloads))
    #expect(joined.data == Self.annexB(units))
    #expect(joined.isKeyFrame == units.contains { $0[0] == 0x65 })
    let startsKey = payloads.contains { $0.read { PayloadFormat.h264.startsKeyFrame($0) } }
    #expect(startsKey == units.contains { [0x65, 0x67].contains($0[0]) })
  }

  @Test(
    "key frames are detected alone, in a STAP-A and at the start of an FU-A",
    arguments: [
      ([0x65, 1], true), ([0x67, 1], true), ([0x41, 1], false), ([0x68, 1], false), ([0x06, 1], false),
      ([0x7c, 0x85, 1], true), ([0x7c, 0x05, 1], false), ([0x7c, 0x45, 1], false), ([0x7c, 0x81, 1], false),
      ([0x78, 0, 2, 0x68, 1, 0, 2, 0x65, 1], true), ([0x78, 0, 2, 0x06, 1, 0, 2, 0x41, 1], false),
      ([0x78, 0, 2, 0x67, 1], true), ([0x78, 0, 9, 0x65, 1], false), ([0x78, 0, 0, 0, 2, 0x65, 1], false),
      ([0x65], false), ([], false),
    ] as [([UInt8], Bool)])
  func keyFrames(payload: [UInt8], expected: Bool) {
    #expect(payload.read { PayloadFormat.h264.startsKeyFrame($0) } == expected)
  }

  @Test(
    "payloads that cannot be joined are rejected",
    arguments: [
      [[0x7c, 0x05, 1]], [[0x7c, 0x85, 1]], [[0x7c, 0x85, 1], [0x41, 2]], [[0x7c, 0x85, 1], [0x7c, 0x85, 1]],
      [[0x78, 0, 9, 1]], [[0x78, 0]], [[0x79, 0, 1, 1]], [[0x7d, 0x85, 1]], [[0x00, 1]], [[0x41]], [[]],
    ] as [[[UInt8]]])
  func refused(payloads: [[UInt8]]) { #expect(join(payloads) == nil) }

  @Test("no input causes reads out of bounds")
  func fuzzed() throws {
    let seeds = try H264Packetizer(maximumPayloadSize: 60).packetize(Self.annexB([Self.sps, Self.pps, Self.unit(0x65, 200)]))
    var depacketizer = H264Depacketizer()
    fuzz(seeds: seeds, rounds: 20_000) { memory in
      let bytes = UnsafeRawBufferPointer(memory)
      _ = PayloadFormat.h264.startsKeyFrame(bytes)
      if !depacketizer.append(bytes) { _ = depacketizer.take() }
      _ = try? H264Packetizer(maximumPayloadSize: 30).packetize([0, 0, 1] + Array(bytes))
    }
  }
}
