import RoomRTMP
import RoomRTP
import RoomTestSupport
import Testing

@Suite struct ConfigurationTests {
  /// Written by x264: 320x180, high profile; and by another encoder: 1280x720, main profile.
  private let high: [UInt8] = [
    0x67, 0x64, 0x00, 0x0c, 0xac, 0xd9, 0x41, 0x41, 0x9f, 0x9f, 0x01, 0x10, 0x00, 0x00, 0x03, 0x00, 0x10, 0x00, 0x00, 0x03,
    0x01, 0xe0,
    0xf1, 0x42, 0x99, 0x60,
  ]
  private let pictureParameters: [UInt8] = [0x68, 0xeb, 0xe3, 0xcb, 0x22, 0xc0]

  @Test("an SPS gives the size of the picture")
  func size() throws {
    let parameters = try #require(SequenceParameters(parsing: high))
    #expect(parameters.width == 320 && parameters.height == 180 && parameters.chromaFormat == 1 && parameters.lumaDepth == 8)
    for length in 0..<high.count { _ = SequenceParameters(parsing: Array(high.prefix(length))) }
    var random = SeededGenerator(seed: 51)
    for _ in 0..<5000 { _ = SequenceParameters(parsing: random.mutate(high)) }
    #expect(SequenceParameters(parsing: pictureParameters) == nil)
  }

  @Test("a decoder's configuration survives a round trip, with the fields of the high profiles")
  func avc() throws {
    let configuration = try #require(
      AVCConfiguration(sequenceParameters: [high], pictureParameters: [pictureParameters]))
    let record = configuration.encoded
    #expect(Array(record.prefix(6)) == [1, 0x64, 0, 0x0c, 0xff, 0xe1])
    #expect(Array(record.suffix(4)) == [0xfd, 0xf8, 0xf8, 0])
    #expect(record.withUnsafeBytes { AVCConfiguration(parsing: $0) } == configuration)
    for length in 0..<(record.count - 4) {
      #expect(record.prefix(length).withUnsafeBytes { AVCConfiguration(parsing: $0) } == nil)
    }
    #expect(AVCConfiguration(sequenceParameters: [], pictureParameters: []) == nil)
    #expect(AVCConfiguration(sequenceParameters: [[0x67, 1]], pictureParameters: []) == nil)
    #expect(AVCConfiguration(sequenceParameters: [[UInt8](repeating: 0x67, count: 70_000)], pictureParameters: []) == nil)
  }

  @Test("an access unit is converted to length-prefixed form and back")
  func accessUnit() throws {
    let annexB: [UInt8] =
      [0, 0, 0, 1, 9, 0xf0, 0, 0, 0, 1] + high + [0, 0, 1] + pictureParameters + [0, 0, 1, 0x06, 5, 1] + [
        0, 0, 1, 0x65, 0x88, 0x84,
      ]
    let unit = annexB.withUnsafeBytes { AVCAccessUnit.withLengths(annexB: $0, behind: [0xaa]) }
    #expect(unit.isKeyFrame && unit.sequenceParameters == [high] && unit.pictureParameters == [pictureParameters])
    #expect(unit.data == [0xaa, 0, 0, 0, 3, 0x06, 5, 1, 0, 0, 0, 3, 0x65, 0x88, 0x84])
    let configuration = try #require(
      AVCConfiguration(sequenceParameters: [high], pictureParameters: [pictureParameters]))
    let back = Array(unit.data.dropFirst()).withUnsafeBytes {
      AVCAccessUnit.annexB(withLengths: $0, configuration: configuration)
    }
    #expect(
      back == [0, 0, 0, 1] + high + [0, 0, 0, 1] + pictureParameters + [0, 0, 0, 1, 0x06, 5, 1, 0, 0, 0, 1, 0x65, 0x88, 0x84])
    #expect([0, 0, 0, 9, 1].withUnsafeBytes { AVCAccessUnit.annexB(withLengths: $0) } == nil)
    #expect([0, 2, 5, 6].withUnsafeBytes { AVCAccessUnit.annexB(withLengths: $0, lengthSize: 3) } == nil)
    #expect(
      [UInt8]([0, 2, 5, 6]).withUnsafeBytes { AVCAccessUnit.annexB(withLengths: $0, lengthSize: 2) } == [0, 0, 0, 1, 5, 6])
    #expect([].withUnsafeBytes { AVCAccessUnit.annexB(withLengths: $0, lengthSize: 9) } == nil)
  }

  @Test("AAC's configuration: standard rates in two bytes, others in five")
  func aac() throws {
    #expect(AudioSpecificConfig(sampleRate: 44_100, channels: 2).encoded == [0x12, 0x10])
    #expect(AudioSpecificConfig(sampleRate: 48_000, channels: 1).encoded == [0x11, 0x88])
    for rate in [7350, 16_000, 44_100, 96_000, 12_345, 0xff_ffff] {
      for channels in 1...6 {
        let config = AudioSpecificConfig(sampleRate: rate, channels: channels)
        #expect(config.encoded.withUnsafeBytes { AudioSpecificConfig(parsing: $0) } == config)
        #expect(config.channels == channels)
      }
    }
    // HE-AAC with explicit signalling, as encoders write it.
    let he = try #require([UInt8]([0x2b, 0x92, 0x08, 0x00]).withUnsafeBytes { AudioSpecificConfig(parsing: $0) })
    #expect(he.objectType == 5 && he.sampleRate == 22_050)
    for cut in [[], [0x12], [0x16, 0x90], [0xff, 0xff]] as [[UInt8]] {
      #expect(cut.withUnsafeBytes { AudioSpecificConfig(parsing: $0) } == nil)
    }
  }

  @Test("metadata survives a round trip, and invalid numbers are ignored")
  func metadata() throws {
    var metadata = StreamMetadata()
    metadata.width = 1280
    metadata.height = 720
    metadata.frameRate = 29.97
    metadata.videoKilobits = 2500
    metadata.videoCodec = FourCC.av1.rawValue
    metadata.sampleRate = 48_000
    metadata.isStereo = true
    metadata.audioCodec = 10
    metadata.encoder = "test"
    #expect(StreamMetadata(metadata.message(timestamp: 5)) == metadata)
    #expect(FourCC.av1.rawValue == 1_635_135_537 && FourCC.opus.rawValue == 1_332_770_163)
    #expect(FourCC.mp3.description == ".mp3" && FourCC("ab") == FourCC("ab  "))
    var payload: [UInt8] = []
    payload.appendAMF0(
      "onMetaData", .object(["width": .number(.infinity), "height": -5.0, "framerate": .number(.nan), "videocodecid": "avc1"]))
    #expect(try #require(StreamMetadata(MediaMessage(.data, timestamp: 0, payload: payload))) == StreamMetadata())
    #expect(StreamMetadata(MediaMessage(.data, timestamp: 0, payload: [5])) == nil)
    #expect(StreamMetadata(MediaMessage(.video, timestamp: 0, payload: payload)) == nil)
  }
}
