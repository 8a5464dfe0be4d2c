import RoomRTP
import Testing

private func descriptor(_ bytes: [UInt8]) -> VP8Descriptor? { bytes.read { VP8Descriptor(parsing: $0) } }

@Suite struct VP8Tests {
  /// A key frame's first bytes: frame tag, start code, 320×180.
  static let keyFrame: [UInt8] = [0x10, 2, 0, 0x9d, 0x01, 0x2a, 0x40, 0x01, 0xb4, 0x00] + (0..<3000).map { UInt8($0 & 0xff) }

  @Test("a descriptor with all fields is parsed")
  func full() throws {
    let found = try #require(descriptor([0xb0, 0xf0, 0x92, 0x34, 7, 0xe5, 0xaa]))
    #expect(found.length == 6)
    #expect(found.isNonReference && found.startsPartition && found.partition == 0 && found.startsFrame)
    #expect(found.pictureID == 0x1234 && found.isLongPictureID)
    #expect(found.temporalLevel0Index == 7 && found.temporalLayer == 3 && found.isLayerSync)
    #expect(found.pictureIDOffset == 2 && found.temporalLevel0Offset == 4)
  }

  @Test("short forms are parsed")
  func short() throws {
    let bare = try #require(descriptor([0x10, 0xaa]))
    #expect(bare.length == 1 && bare.pictureID == nil && bare.temporalLayer == nil)
    let seven = try #require(descriptor([0x91, 0x80, 0x55, 0xaa]))
    #expect(seven.length == 3 && seven.pictureID == 0x55 && !seven.isLongPictureID && !seven.startsFrame)
  }

  @Test(
    "an incomplete descriptor, or one without data, is rejected",
    arguments: [[], [0x10], [0x80, 0x80], [0x80, 0x80, 0x81], [0x80, 0xc0, 1], [0x80, 0xe0, 1, 2], [0x80, 0x80, 0x81, 2]]
      as [[UInt8]])
  func refused(bytes: [UInt8]) { #expect(descriptor(bytes) == nil) }

  @Test("only the first packet of a key frame counts as its start")
  func keyFrames() {
    #expect([0x90, 0x80, 0x01, 0x10, 2, 0].read { PayloadFormat.vp8.startsKeyFrame($0) })
    #expect(![0x90, 0x80, 0x01, 0x11, 2, 0].read { PayloadFormat.vp8.startsKeyFrame($0) })
    #expect(![0x80, 0x80, 0x01, 0x10, 2, 0].read { PayloadFormat.vp8.startsKeyFrame($0) })
    #expect(![0x91, 0x80, 0x01, 0x10, 2, 0].read { PayloadFormat.vp8.startsKeyFrame($0) })
    let size = ([0x10] + Self.keyFrame).read { VP8Descriptor.keyFrameSize($0) }
    #expect(size?.width == 320 && size?.height == 180)
  }

  @Test("frames survive splitting and joining", arguments: [1, 5, 1096, 1097, 2192, 3010])
  func roundTrip(size: Int) throws {
    var packetizer = VP8Packetizer(maximumPayloadSize: 1100, pictureID: 0x7fff)
    var depacketizer = VP8Depacketizer()
    for expectedID in [0x7fff, 0] as [UInt16] {
      let frame = Array(Self.keyFrame.prefix(size))
      let payloads = packetizer.packetize(frame)
      #expect(payloads.allSatisfy { $0.count <= 1100 })
      for (index, payload) in payloads.enumerated() {
        #expect(descriptor(payload)?.pictureID == expectedID)
        #expect(descriptor(payload)?.startsFrame == (index == 0))
        let taken = payload.read { depacketizer.append($0) }
        #expect(taken)
      }
      let joined = depacketizer.take()
      #expect(joined?.data == frame)
      #expect(joined?.isKeyFrame == true)
    }
  }

  @Test("each payload names the frame's temporal layer, and TL0PICIDX counts the frames of layer 0")
  func temporalLayers() throws {
    var packetizer = VP8Packetizer(maximumPayloadSize: 100)
    var depacketizer = VP8Depacketizer()
    for (index, level0) in [(0, 1), (2, 1), (1, 1), (2, 1), (0, 2), (2, 2)] as [(UInt8, UInt8)] {
      let layer = VP8TemporalLayer(index: index, isSync: index == 1, isReference: index < 2)
      let payloads = packetizer.packetize(Array(Self.keyFrame.prefix(250)), layer: layer)
      #expect(payloads.count == 3 && payloads.allSatisfy { $0.count <= 100 })
      for payload in payloads {
        let found = try #require(descriptor(payload))
        #expect(found.temporalLayer == index && found.temporalLevel0Index == level0)
        #expect(found.isLayerSync == layer.isSync && found.isNonReference == !layer.isReference)
        let taken = payload.read { depacketizer.append($0) }
        #expect(taken)
      }
      #expect(depacketizer.take()?.data == Array(Self.keyFrame.prefix(250)))
    }
  }

  @Test("parts of two frames are not joined")
  func mixed() {
    var packetizer = VP8Packetizer(maximumPayloadSize: 100)
    let first = packetizer.packetize(Self.keyFrame)
    let second = packetizer.packetize(Self.keyFrame)
    var depacketizer = VP8Depacketizer()
    let taken = [first[0], first[1], second[2]].map { $0.read { depacketizer.append($0) } }
    #expect(taken == [true, true, false])
    depacketizer.reset()
    let middle = first[1].read { depacketizer.append($0) }
    #expect(!middle)
  }

  @Test("no input causes reads out of bounds")
  func fuzzed() {
    var packetizer = VP8Packetizer(maximumPayloadSize: 60)
    let seeds = packetizer.packetize(Array(Self.keyFrame.prefix(200))) + [[0xb0, 0xf0, 0x92, 0x34, 7, 0xe5, 0xaa]]
    var depacketizer = VP8Depacketizer()
    fuzz(seeds: seeds, rounds: 20_000) { memory in
      let bytes = UnsafeRawBufferPointer(memory)
      _ = VP8Descriptor.keyFrameSize(bytes)
      for format in PayloadFormat.allCases { _ = format.startsKeyFrame(bytes) }
      if let found = VP8Descriptor(parsing: bytes) { #expect(found.length < bytes.count) }
      if !depacketizer.append(bytes) { _ = depacketizer.take() }
    }
  }
}
