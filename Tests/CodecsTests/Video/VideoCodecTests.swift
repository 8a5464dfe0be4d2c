import RoomMediaTimeLiterals
import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomCodecs

/// Behaviour that all video codecs share.
@Suite("A video codec")
struct VideoCodecTests {
  enum Codec: String, CaseIterable, Sendable {
    case h264Baseline, h264Main, h264High, vp8, vp9, av1

    func encoder(_ settings: VideoEncoderSettings) throws -> any VideoEncoder {
      switch self {
      case .h264Baseline: try H264Encoder(settings, profile: .baseline, speed: .ultrafast)
      case .h264Main: try H264Encoder(settings, profile: .main, speed: .ultrafast)
      case .h264High: try H264Encoder(settings, profile: .high, speed: .ultrafast)
      case .vp8: try VP8Encoder(settings)
      case .vp9: try VP9Encoder(settings)
      case .av1: try AV1Encoder(settings)
      }
    }

    func decoder() throws -> any VideoDecoder {
      switch self {
      case .h264Baseline, .h264Main, .h264High: try H264Decoder()
      case .vp8: try VP8Decoder()
      case .vp9: try VP9Decoder()
      case .av1: try AV1Decoder()
      }
    }
  }

  static let settings = VideoEncoderSettings(width: 320, height: 180, fps: 15, bitrate: 400_000)

  private func picture(_ number: Int, width: Int = 320, height: Int = 180) throws -> VideoFrame {
    try TestPattern(width: width, height: height, index: 1)
      .frame(
        number: number, milliseconds: Int64(number) * 67 + 5_000_000, timestamp: MediaTime(microseconds: Int64(number) * 66_667)
      )
  }

  @Test("each picture is returned at once with the same content, colour, clock and time", arguments: Codec.allCases)
  func roundTrip(codec: Codec) throws {
    let encoder = try codec.encoder(Self.settings)
    let decoder = try codec.decoder()
    for number in 0..<30 {
      let source = try picture(number)
      let encoded = try #require(try encoder.encode(source, forceKeyFrame: false))
      #expect(encoded.isKeyFrame == (number == 0))
      #expect(encoded.timestamp == source.timestamp)
      let decoded = try #require(try decoder.decode(encoded.data, timestamp: encoded.timestamp))
      #expect(decoded.timestamp == source.timestamp)
      #expect(try #require(decoded.psnr(to: source)) > 26, "picture \(number)")
      let (a, b) = (decoded.meanColour, source.meanColour)
      #expect(abs(Int(a.u) - Int(b.u)) <= 4)
      #expect(abs(Int(a.v) - Int(b.v)) <= 4)
      #expect(ClockBlocks.read(decoded) == .init(milliseconds: UInt64(number * 67 + 5_000_000), frame: UInt16(number)))
    }
  }

  @Test("a key frame is produced on request and at the end of the interval", arguments: Codec.allCases)
  func keyFrames(codec: Codec) throws {
    var settings = Self.settings
    settings.keyFrameInterval = 10
    let encoder = try codec.encoder(settings)
    var keys: [Int] = []
    for number in 0..<25 {
      if try encoder.encode(picture(number), forceKeyFrame: number == 4)?.isKeyFrame == true { keys.append(number) }
    }
    #expect(keys == [0, 4, 14, 24])
    settings.keyFrameInterval = 0
    try encoder.reconfigure(settings)
    for number in 25..<60 { #expect(try encoder.encode(picture(number), forceKeyFrame: false)?.isKeyFrame == false) }
  }

  @Test("decoding can start at any key frame", arguments: Codec.allCases)
  func newcomer(codec: Codec) throws {
    let encoder = try codec.encoder(Self.settings)
    let decoder = try codec.decoder()
    var shown: [Int] = []
    for number in 0..<12 {
      let encoded = try #require(try encoder.encode(picture(number), forceKeyFrame: number == 8))
      guard number >= 3 else { continue }
      if let frame = try? decoder.decode(encoded.data, timestamp: 0), let clock = ClockBlocks.read(frame) {
        shown.append(Int(clock.frame))
      }
    }
    #expect(shown == [8, 9, 10, 11])
  }

  @Test("the bitrate follows a live change", arguments: [Codec.h264Baseline, .vp8, .vp9, .av1])
  func bitrate(codec: Codec) throws {
    var settings = Self.settings
    settings.bitrate = 1_200_000
    settings.keyFrameInterval = 0
    let encoder = try codec.encoder(settings)
    var random = SeededGenerator(seed: 3)
    var time: MediaTime = 0
    func bytes(_ range: Range<Int>) throws -> Int {
      try range.reduce(0) { sum, number in
        var source = try picture(number)
        source.timestamp = time
        time = time.advanced(microseconds: Int64(1_000_000 / settings.fps))
        // Noise, so that the encoder can use up any bitrate.
        source.withMutablePlanes { planes in
          for row in 60..<planes.height {
            for column in 0..<planes.width {
              planes.y[row * planes.yStride + column] &+= UInt8(random.next() & 31)
            }
          }
        }
        return try sum + (encoder.encode(source, forceKeyFrame: false)?.data.count ?? 0)
      }
    }
    _ = try bytes(0..<15)
    let high = try bytes(15..<60)
    settings.bitrate = 300_000
    try encoder.reconfigure(settings)
    _ = try bytes(60..<75)
    let low = try bytes(75..<120)
    settings.fps = 5
    try encoder.reconfigure(settings)
    _ = try bytes(120..<125)
    let slow = try bytes(125..<140)
    // 45 frames are 3 s, and 15 at the lower rate.
    #expect((250_000...700_000).contains(high), "\(high)")
    #expect((60_000...200_000).contains(low), "\(low)")
    #expect((60_000...200_000).contains(slow), "\(slow)")
  }

  @Test("a decoder follows a change of size within the stream", arguments: Codec.allCases)
  func sizes(codec: Codec) throws {
    let decoder = try codec.decoder()
    let encoder = try codec.encoder(Self.settings)
    var number = 0
    for (width, height) in [(320, 180), (160, 120), (640, 360), (176, 144)] {
      var settings = Self.settings
      (settings.width, settings.height) = (width, height)
      try encoder.reconfigure(settings)
      for index in 0..<3 {
        // A source of another size is scaled.
        let encoded = try #require(try encoder.encode(picture(number), forceKeyFrame: false))
        #expect(encoded.isKeyFrame == (index == 0))
        let decoded = try #require(try decoder.decode(encoded.data, timestamp: 0))
        #expect((decoded.width, decoded.height) == (width, height))
        number += 1
      }
    }
  }

  @Test("times that repeat, jump or decrease are encoded", arguments: [Codec.h264Baseline, .vp8, .vp9, .av1])
  func times(codec: Codec) throws {
    let encoder = try codec.encoder(Self.settings)
    for microseconds in [0, 0, 1, -5, 10_000_000, 3, .max, .min, 66_000] as [Int64] {
      let time = MediaTime(microseconds: microseconds)
      var source = try picture(1)
      source.timestamp = time
      #expect(try encoder.encode(source, forceKeyFrame: false)?.timestamp == time)
    }
  }

  @Test("settings out of range are rejected", arguments: [Codec.h264Baseline, .vp8, .vp9, .av1])
  func settings(codec: Codec) throws {
    let encoder = try codec.encoder(Self.settings)
    func refused(_ change: (inout VideoEncoderSettings) -> Void) {
      var settings = Self.settings
      change(&settings)
      #expect(throws: CodecError.self) { try codec.encoder(settings) }
      #expect(throws: CodecError.self) { try encoder.reconfigure(settings) }
    }
    refused { $0.width = 0 }
    refused { $0.width = 321 }
    refused { $0.height = 20_000 }
    refused { $0.fps = 0 }
    refused { $0.bitrate = 0 }
    refused { $0.bitrate = .max }
    refused { $0.keyFrameInterval = -1 }
    #expect(encoder.settings == Self.settings)
  }

  @Test("a decoder survives any input", arguments: [Codec.h264High, .vp8, .vp9, .av1])
  func garbage(codec: Codec) throws {
    var random = SeededGenerator(seed: 11)
    let encoder = try codec.encoder(VideoEncoderSettings(width: 96, height: 64, fps: 15, bitrate: 100_000))
    let units = try (0..<10).compactMap { try encoder.encode(picture($0, width: 96, height: 64), forceKeyFrame: $0 == 5)?.data }
    let decoder = try codec.decoder()
    for round in 0..<1500 {
      var unit = units[round % units.count]
      switch Int.random(in: 0..<4, using: &random) {
      case 0: unit = (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      case 1: unit.removeLast(Int.random(in: 0...unit.count, using: &random))
      default:
        for _ in 0..<Int.random(in: 1...20, using: &random) {
          unit[Int.random(in: 0..<unit.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
      }
      // Corrupt input may throw or show anything; it must not affect what follows.
      _ = try? decoder.decode(unit, timestamp: 0)
    }
    let encoded = try #require(try encoder.encode(picture(50, width: 96, height: 64), forceKeyFrame: true))
    var frame: VideoFrame?
    // A corrupt picture may have left a header behind, which the next key frame replaces.
    for _ in 0..<3 where frame == nil { frame = try? decoder.decode(encoded.data, timestamp: 0) }
    #expect(frame?.width == 96)
  }
}
