import RoomRTP
import Testing

@Suite struct VP9Tests {
  /// The first byte of a key frame of profile 0, and of a frame predicted from others.
  private static let key: UInt8 = 0x82
  private static let inter: UInt8 = 0x86

  private func descriptor(_ bytes: [UInt8]) -> VP9Descriptor? { bytes.read { VP9Descriptor(parsing: $0) } }

  /// Joins payloads; nil if one of them is rejected.
  private func join(_ payloads: [[UInt8]]) -> (data: [UInt8], isKeyFrame: Bool)? {
    var depacketizer = VP9Depacketizer()
    for payload in payloads where !payload.read({ depacketizer.append($0) }) { return nil }
    return depacketizer.take()
  }

  @Test("all optional fields of a descriptor are skipped")
  func descriptors() throws {
    let small = try #require(descriptor([0x8c, 0x05, 7]))
    #expect(small.length == 2 && small.pictureID == 5 && small.startsFrame && small.endsFrame && !small.isPredicted)
    let layered = try #require(descriptor([0xa8, 0x92, 0x34, 0b010_0_011_1, 9, 7]))
    #expect(layered.length == 5 && layered.pictureID == 0x1234 && layered.temporalLayer == 2 && layered.spatialLayer == 3)
    // Flexible: no TL0PICIDX, and references while N is set.
    let flexible = try #require(descriptor([0xf8, 0x05, 0x00, 0x03, 0x05, 0x02, 7]))
    #expect(flexible.length == 6 && flexible.isPredicted)
    // Two layers with their sizes, and a group of two pictures, the second with one reference.
    let structure: [UInt8] = [0x0a, 0b001_11_000, 0, 160, 0, 90, 1, 64, 0, 180, 2, 0b000_0_00_00, 0b000_0_01_00, 1, 7]
    #expect(try #require(descriptor(structure)).length == 14)
  }

  @Test(
    "a descriptor that does not end within its packet is rejected",
    arguments: [
      [], [0x08], [0x88], [0x88, 0x85], [0x88, 0x05], [0x28, 0], [0x28, 0, 0], [0x58, 1], [0x58, 1, 1, 1, 1, 7],
      [0x0a, 0x18, 0, 1],
      [0x0a, 0x08, 3, 0], [0x0a, 0x08, 1, 0x0c, 1],
    ] as [[UInt8]])
  func refused(payload: [UInt8]) { #expect(descriptor(payload) == nil) }

  @Test("a picture's payloads are joined, and the frame header identifies key frames")
  func joined() throws {
    let key = try #require(join([[0x88, 1, Self.key, 1, 2], [0x80, 1, 3, 4], [0x84, 1, 5]]))
    #expect(key.data == [Self.key, 1, 2, 3, 4, 5] && key.isKeyFrame)
    // Some senders never set P.
    let inter = try #require(join([[0x8c, 2, Self.inter, 9]]))
    #expect(inter.data == [Self.inter, 9] && !inter.isKeyFrame)
    // Profile 3 has an extra bit before the frame type; a picture shown again is not a key frame.
    #expect(try #require(join([[0x0c, 0xb0]])).isKeyFrame)
    #expect(try !#require(join([[0x0c, 0xb2]])).isKeyFrame)
    #expect(try !#require(join([[0x0c, 0x88]])).isKeyFrame)
  }

  @Test("layers become a superframe with an index")
  func layers() throws {
    let picture = try #require(
      join([[0xa8, 1, 0x00, 0, Self.key, 1], [0xa4, 1, 0x00, 0, 2], [0xac, 1, 0x03, 0, Self.inter, 3, 4, 5]]))
    #expect(picture.isKeyFrame)
    #expect(
      picture.data == [Self.key, 1, 2, Self.inter, 3, 4, 5] + [0xd9, 3, 0, 0, 0, 4, 0, 0, 0, 0xd9])
  }

  @Test(
    "incomplete pictures are rejected",
    arguments: [
      // The start or the end is missing, another picture or layer, a repeated layer.
      [[0x80, 1, 2]], [[0x88, 1, 0x82]], [[0x88, 1, 0x82], [0x84, 2, 3]], [[0xa8, 1, 0, 0, 0x82], [0xa4, 1, 2, 0, 3]],
      [[0xac, 1, 0, 0, 0x82], [0xac, 1, 0, 0, 0x82]], [[0x88, 1, 0x82], [0x8c, 1, 0x82]],
    ] as [[[UInt8]]])
  func broken(payloads: [[UInt8]]) { #expect(join(payloads) == nil) }

  @Test("a frame is split into payloads of equal size, which a receiver joins", arguments: [1, 20, 1097, 1098, 5000])
  func split(size: Int) throws {
    var packetizer = VP9Packetizer(maximumPayloadSize: 1100, pictureID: 0x7fff)
    for (isKeyFrame, first, id) in [(true, Self.key, 0x7fff), (false, Self.inter, 0)] as [(Bool, UInt8, UInt16)] {
      let frame = [first] + (1..<max(size, 1)).map { UInt8(truncatingIfNeeded: $0) }
      let payloads = packetizer.packetize(frame, isKeyFrame: isKeyFrame)
      #expect(payloads.count == (frame.count + 1096) / 1097)
      let sizes = payloads.map(\.count)
      #expect(try #require(sizes.max()) - #require(sizes.min()) <= 1)
      let descriptors = payloads.compactMap { descriptor($0) }
      #expect(descriptors.map(\.pictureID) == payloads.map { _ in id })
      #expect(descriptors.allSatisfy { $0.isPredicted == !isKeyFrame })
      #expect(payloads[0].read { VP9.startsKeyFrame($0) } == isKeyFrame)
      #expect(payloads.dropFirst().allSatisfy { !$0.read { VP9.startsKeyFrame($0) } })
      let joined = try #require(join(payloads))
      #expect(joined.data == frame && joined.isKeyFrame == isKeyFrame)
    }
    #expect(packetizer.packetize([], isKeyFrame: true).isEmpty)
  }

  @Test("a buffer starts with a frame whose own header says key frame")
  func buffered() {
    var buffer = JitterBuffer(format: .vp9)
    for (index, first) in [Self.inter, Self.key, Self.inter].enumerated() {
      buffer.insert(
        header(UInt16(index), timestamp: UInt32(index) * 3000, marker: true), [0x0c, first, UInt8(index)], at(milliseconds: 0))
    }
    #expect(buffer.drain(at(milliseconds: 0)).frames.map(\.data) == [[Self.key, 1], [Self.inter, 2]])
  }

  @Test("no input causes reads out of bounds")
  func fuzzed() {
    let seeds: [[UInt8]] = [
      [0xa8, 0x92, 0x34, 0x47, 9, 0x82, 7], [0xf8, 0x05, 0x00, 0x03, 0x05, 0x02, 0x86, 7], [0x84, 0x05, 1, 2],
      [0x0a, 0b001_11_000, 0, 160, 0, 90, 1, 64, 0, 180, 2, 0, 4, 1, 0x82],
    ]
    var depacketizer = VP9Depacketizer()
    fuzz(seeds: seeds, rounds: 20_000) { memory in
      let bytes = UnsafeRawBufferPointer(memory)
      if let found = VP9Descriptor(parsing: bytes) { #expect(found.length < bytes.count) }
      if !depacketizer.append(bytes) { _ = depacketizer.take() }
    }
  }
}
