import RoomCodecs
import RoomMediaTimeLiterals
import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomClient
@testable import RoomMedia

@Suite("A simulcast source")
struct SimulcastSourceTests {
  private static func source(_ codec: VideoCodec, minBitrate: Int? = nil) throws -> SimulcastSource {
    let settings = VideoEncoderSettings(width: 640, height: 360, fps: 30, bitrate: 600_000, keyFrameInterval: 0)
    return try SimulcastSource(
      VideoConfiguration(codec: codec, speed: .ultrafast, settings),
      smaller: [.smallLayer(of: settings), .middleLayer(of: settings)], minBitrate: minBitrate)
  }

  /// Pushes pictures of 30 fps, one after the other is encoded.
  private func push(_ numbers: Range<Int>, into source: SimulcastSource) async throws {
    let pattern = try TestPattern(width: 640, height: 360)
    for number in numbers {
      // The middle layer is always on here, and is encoded after the largest.
      let done = source.statistics[1].encoded
      source.push(
        try pattern.frame(
          number: number, milliseconds: Int64(number), timestamp: MediaTime(ticks: Int64(number), rate: 30)))
      try await eventually("picture \(number) is encoded") {
        source.statistics[1].encoded > done
      }
    }
  }

  @Test(
    "each layer is a stream of its own with the same picture, the smallest at half the rate", arguments: VideoCodec.allCases)
  func layers(codec: VideoCodec) async throws {
    let source = try Self.source(codec)
    #expect(source.track.width == 640 && source.track.layers.map(\.rid) == ["q", "h", "f"])
    let loop = Loop(source.track, codec: CodecName(rawValue: codec.rawValue))
    try await push(0..<20, into: source)
    try await eventually("the last picture of each layer is sent") { source.statistics.map(\.sent) == [10, 20, 20] }
    for (rid, size, count) in [("q", (176, 100), 10), ("h", (320, 180), 20), ("f", (640, 360), 20)] {
      let frames = zip(loop.layers, loop.sent).filter { $0.0 == rid }.map(\.1)
      #expect(frames.count == count && frames.first?.isKeyFrame == true)
      let decoder = try #require(PayloadFormat(name: codec.rawValue)).makeVideoDecoder()
      for frame in frames {
        let picture = try decoder.decode(frame.data, timestamp: MediaTime(ticks: Int64(frame.timestamp), rate: 90_000))
        #expect(picture?.width == size.0 && picture?.height == size.1)
        guard rid == "f", let picture else { continue }
        #expect(ClockBlocks.read(picture).map { Int($0.frame) } == Int((frame.timestamp + 1500) / 3000))
      }
    }
  }

  @Test("a studio changes the picture of every layer")
  func studio() async throws {
    struct Painter: FrameProcessor {
      func process(_ frame: VideoFrame) -> VideoFrame {
        var frame = frame
        frame.fill(YUVColour(y: 41, u: 240, v: 110))
        return frame
      }
    }
    let source = try Self.source(.vp8)
    source.studio = Painter()
    let loop = Loop(source.track, codec: .vp8)
    try await push(0..<1, into: source)
    try await eventually("all layers are sent") { loop.sent.count == 3 }
    for frame in loop.sent {
      let picture = try VP8Decoder().decode(frame.data, timestamp: .zero)
      #expect((picture?.meanColour.u).map { $0 > 220 } == true)
    }
  }

  @Test("layers that no one receives are not encoded, and return with a key frame")
  func unwanted() async throws {
    let source = try Self.source(.vp8)
    let loop = Loop(source.track, codec: .vp8)
    try await push(0..<3, into: source)
    loop.line.setWanted(["q", "h"])
    try await eventually("the largest layer is off") {
      try await push(3..<4, into: source)
      return source.activeLayers == ["q", "h"]
    }
    let before = source.statistics
    try await push(10..<14, into: source)
    #expect(source.statistics[2].encoded == before[2].encoded && source.statistics[1].encoded == before[1].encoded + 4)
    let sent = loop.sent.count
    loop.line.setWanted(nil)
    try await eventually("the largest layer is on") {
      try await push(20..<21, into: source)
      return source.activeLayers == ["q", "h", "f"]
    }
    // Not before the time between two key frames has passed.
    try await eventually("it is sent") {
      try await push(30..<31, into: source)
      return loop.layers.dropFirst(sent).contains("f")
    }
    let first = zip(loop.layers, loop.sent).dropFirst(sent).first { $0.0 == "f" }
    #expect(first?.1.isKeyFrame == true)
  }

  @Test("the largest layer is off on a weak path, and a request makes a key frame of one layer only")
  func weak() async throws {
    let source = try Self.source(.h264)
    let loop = Loop(source.track, codec: .h264)
    #expect(loop.line.minimum == 40_000)
    loop.line.setTarget(300_000)
    try await eventually("the largest layer is off") {
      try await push(0..<1, into: source)
      return source.activeLayers == ["q", "h"]
    }
    #expect(source.statistics.map(\.bitrate) == [100_000, 180_000, 0])
    // The smallest layer is encoded last.
    try await eventually("the first key frame of the smallest layer") { source.statistics[0].keyFrames == 1 }
    let before = source.statistics.map(\.keyFrames)
    try await Task.sleep(for: VideoSource.keyFrameSpacing)
    loop.line.keyFrameRequested("h")
    try await eventually("a key frame of the middle layer") {
      try await push(1..<2, into: source)
      return source.statistics[1].keyFrames == before[1] + 1
    }
    #expect(source.statistics[0].keyFrames == before[0])
  }

  @Test("two or three layers are possible")
  func refused() throws {
    let settings = VideoEncoderSettings(width: 640, height: 360, fps: 30, bitrate: 600_000)
    let small = VideoEncoderSettings.smallLayer(of: settings)
    #expect(throws: RoomClientError.self) { try SimulcastSource(VideoConfiguration(settings), smaller: []) }
    #expect(throws: RoomClientError.self) {
      try SimulcastSource(VideoConfiguration(settings), smaller: [small, small, small])
    }
    #expect(try SimulcastSource(VideoConfiguration(settings)).track.layers.map(\.rid) == ["q", "f"])
  }
}
