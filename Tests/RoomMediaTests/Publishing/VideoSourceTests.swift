import RoomCodecs
import Foundation
import RoomMediaTimeLiterals
import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomClient
@testable import RoomMedia

@Suite("A video source")
struct VideoSourceTests {
  static func configuration(_ codec: VideoCodec = .h264) -> VideoConfiguration {
    VideoConfiguration(codec: codec, speed: .ultrafast, .init(width: 320, height: 180, fps: 15, bitrate: 400_000))
  }

  /// Pushes pictures and waits until each is encoded.
  private func push(_ numbers: Range<Int>, into source: VideoSource) async throws {
    let pattern = try TestPattern(width: 320, height: 180)
    for number in numbers {
      let done = source.statistics.encoded
      source.push(
        try pattern.frame(
          number: number, milliseconds: Int64(number), timestamp: MediaTime(microseconds: Int64(number) * 66_667)))
      try await eventually("picture \(number) is encoded") { source.statistics.encoded > done }
    }
  }

  @Test("pushed pictures arrive decoded, with their content and timestamps", arguments: VideoCodec.allCases)
  func pushed(codec: VideoCodec) async throws {
    let source = try VideoSource(Self.configuration(codec))
    let loop = Loop(source.track, codec: CodecName(rawValue: codec.rawValue))
    let playback = try VideoPlayback(loop.remote, backlog: 100)
    try await push(0..<20, into: source)
    let frames = await collect(20, from: playback.frames)
    #expect(frames.compactMap { ClockBlocks.read($0)?.frame } == Array(0..<20))
    for (number, frame) in frames.enumerated() { #expect(abs(frame.timestamp.microseconds - Int64(number) * 66_667) < 100) }
    #expect(loop.sent.first?.isKeyFrame == true)
    #expect(source.statistics.dropped == 0)
  }

  @Test("a receiver's requests result in key frames, at most one for each spacing interval")
  func keyFrames() async throws {
    var configuration = Self.configuration()
    // The encoder makes no key frame of its own within the test.
    configuration.settings.keyFrameInterval = 10_000
    let source = try VideoSource(configuration)
    let loop = Loop(source.track, codec: .h264)
    try await push(0..<3, into: source)
    try await eventually("the first key frame") { source.statistics.keyFrames == 1 }
    let before = source.statistics.keyFrames
    let start = ContinuousClock.now
    var number = 3
    while source.statistics.keyFrames < before + 2, number < 2000 {
      loop.remote.requestKeyFrame()
      try await push(number..<number + 1, into: source)
      number += 1
    }
    #expect(source.statistics.keyFrames == before + 2)
    // Two intervals; the key frame before the first may be as old as the track.
    #expect(ContinuousClock.now - start >= VideoSource.keyFrameSpacing)
  }

  @Test("the encoder follows the available bitrate, up to the configured one")
  func target() async throws {
    let source = try VideoSource(Self.configuration())
    let loop = Loop(source.track, codec: .h264)
    try await push(0..<1, into: source)
    #expect(source.statistics.bitrate == 400_000)
    for (target, expected) in [(170_000, 170_000), (2_000_000, 400_000), (120_000, 120_000)] {
      loop.line.setTarget(target)
      var number = 1
      while source.statistics.bitrate != expected, number < 200 {
        try await push(number..<number + 1, into: source)
        number += 1
      }
      #expect(source.statistics.bitrate == expected)
    }
  }

  @Test("a path that carries no video pauses it, the app is told, and it continues with a key frame")
  func paused() async throws {
    let source = try VideoSource(Self.configuration())
    let loop = Loop(source.track, codec: .h264)
    let qualities = source.qualities
    try await push(0..<1, into: source)
    loop.line.setTarget(0)
    var number = 1
    func feed(until isDone: () -> Bool) async throws {
      let pattern = try TestPattern(width: 320, height: 180)
      while !isDone(), number < 2000 {
        let time = MediaTime(microseconds: Int64(number) * 10_000)
        source.push(try pattern.frame(number: number, milliseconds: 0, timestamp: time))
        number += 1
        // The pause and its end depend on the clock.
        try await Task.sleep(for: .milliseconds(10))
      }
    }
    try await feed { source.quality.isPaused }
    #expect(source.statistics.bitrate == 0)
    let sent = loop.sent.count
    try await feed { number >= 300 }
    #expect(loop.sent.count == sent)
    loop.line.setTarget(400_000)
    try await feed { loop.sent.count > sent }
    #expect(loop.sent[sent].isKeyFrame)
    let seen = await collect(5, from: qualities)
    #expect(seen.map(\.isPaused) == [false, false, false, true, false])
    #expect(seen.map(\.fps) == [15, 12, 10, 10, 15])
  }

  @Test("without a device H.264 is encoded in software and statistics say why; a required device is an error")
  func hardware() async throws {
    let absent = "/dev/dri/renderD999"
    var configuration = Self.configuration()
    configuration.hardware = .required(device: absent)
    #expect(throws: CodecError.self) { try VideoSource(configuration) }
    guard VAAPIProbe().first == nil else { return }
    configuration.hardware = .required()
    #expect(throws: CodecError.self) { try VideoSource(configuration) }
    configuration.hardware = .ifAvailable
    let source = try VideoSource(configuration)
    try await push(0..<2, into: source)
    guard case .fallback(let reason) = source.statistics.encoder else {
      Issue.record("\(source.statistics.encoder)")
      return
    }
    #expect(reason.contains("VAAPI"))
    #expect(source.statistics.failed == 0)
  }

  @Test("a push reports a picture that was dropped for it, and that a stopped source takes none")
  func pushReports() async throws {
    let source = try VideoSource(Self.configuration())
    let picture = try TestPattern(width: 320, height: 180).frame(number: 0, milliseconds: 0, timestamp: 0)
    #expect(source.push(picture))
    var refused: UInt64 = 0
    for _ in 0..<1000 where refused == 0 { refused += source.push(picture) ? 0 : 1 }
    #expect(refused == 1)
    #expect(source.statistics.dropped == 1)
    source.stop()
    #expect(!source.push(picture))
    #expect(source.statistics.dropped == 1)
  }

  @Test("without adaptation the configured bitrate is sent, whatever the path carries")
  func unadapted() async throws {
    let source = try VideoSource(Self.configuration(), adaptation: nil)
    let loop = Loop(source.track, codec: .h264)
    #expect(loop.line.minimum == 0)
    loop.line.setTarget(20_000)
    try await push(0..<5, into: source)
    #expect(source.statistics.bitrate == 400_000)
    source.adaptation = VideoAdaptation(minBitrate: 200_000)
    // At 10 frames per second.
    #expect(loop.line.minimum == 133_333)
    loop.line.setTarget(150_000)
    let pattern = try TestPattern(width: 320, height: 180)
    let later = try pattern.frame(number: 9, milliseconds: 0, timestamp: 1_000_000)
    source.push(later)
    try await eventually("the frame rate falls") { source.quality.fps == 10 }
    #expect(source.statistics.bitrate == 150_000)
  }

  @Test("settings are reloaded while pictures flow", arguments: VideoCodec.allCases)
  func reload(codec: VideoCodec) async throws {
    let source = try VideoSource(Self.configuration(codec))
    let loop = Loop(source.track, codec: CodecName(rawValue: codec.rawValue))
    let playback = try VideoPlayback(loop.remote, backlog: 100)
    try await push(0..<3, into: source)
    var changed = Self.configuration(codec)
    changed.settings = .init(width: 160, height: 90, fps: 10, bitrate: 100_000)
    changed.profile = .main
    try source.reconfigure(changed)
    try await push(3..<6, into: source)
    let frames = await collect(6, from: playback.frames)
    #expect(frames.map(\.width) == [320, 320, 320, 160, 160, 160])
    #expect(loop.sent[0].isKeyFrame && loop.sent[3].isKeyFrame)
    #expect(source.configuration == changed)
  }

  @Test("invalid settings are rejected, and the old ones remain")
  func refused() throws {
    let source = try VideoSource(Self.configuration())
    var tooLarge = Self.configuration()
    tooLarge.level = .level30
    tooLarge.settings.width = 1280
    #expect(throws: VideoLimitError.self) { try source.reconfigure(tooLarge) }
    #expect(throws: VideoLimitError.self) { try VideoSource(tooLarge) }
    var odd = Self.configuration()
    odd.settings.width = 321
    #expect(throws: CodecError.self) { try source.reconfigure(odd) }
    #expect(throws: CodecError.self) { try source.reconfigure(Self.configuration(.vp8)) }
    #expect(source.configuration == Self.configuration())
  }

  @Test("nothing is encoded while the track is muted")
  func muted() async throws {
    let source = try VideoSource(Self.configuration())
    let loop = Loop(source.track, codec: .h264)
    try await push(0..<2, into: source)
    loop.line.setMuted(true)
    let pattern = try TestPattern(width: 320, height: 180)
    for _ in 0..<5 { source.push(try pattern.frame(number: 0, milliseconds: 0, timestamp: 200_000)) }
    loop.line.setMuted(false)
    try await push(4..<6, into: source)
    #expect(loop.sent.count >= 4)
    // Pictures that wait, and the one that the encoder has already taken, may leave once the track is unmuted.
    #expect(loop.sent.count <= 2 + VideoSource.backlog + 1 + 2)
  }

  /// Fills each picture with one colour.
  private struct Painter: FrameProcessor {
    let colour: YUVColour
    let seen = Shared(0)

    func process(_ frame: VideoFrame) -> VideoFrame {
      seen.withLock { $0 += 1 }
      var frame = frame
      frame.fill(colour)
      return frame
    }
  }

  @Test("a studio changes the pictures before they are encoded, is replaced live, and works while the track is muted")
  func studio() async throws {
    let red = Painter(colour: YUVColour(y: 81, u: 90, v: 240))
    let source = try VideoSource(Self.configuration(), studio: red)
    let loop = Loop(source.track, codec: .h264)
    let playback = try VideoPlayback(loop.remote, backlog: 100)
    try await push(0..<2, into: source)
    let blue = Painter(colour: YUVColour(y: 41, u: 240, v: 110))
    source.studio = blue
    try await push(2..<4, into: source)
    source.studio = nil
    try await push(4..<5, into: source)
    let frames = await collect(5, from: playback.frames)
    #expect(frames.prefix(4).map { $0.meanColour.u > 165 } == [false, false, true, true])
    #expect(ClockBlocks.read(frames[4])?.frame == 4)
    source.studio = blue
    loop.line.setMuted(true)
    let before = blue.seen.value
    source.push(try TestPattern(width: 320, height: 180).frame(number: 5, milliseconds: 5, timestamp: 1_000_000))
    try await eventually("the preview continues") { blue.seen.value > before }
    #expect(source.statistics.encoded == 5)
  }

  @Test("a test picture runs at its rate and shows the time of day")
  func testPattern() async throws {
    let source = try VideoSource.testPattern(Self.configuration(), index: 2)
    let loop = Loop(source.track, codec: .h264)
    let playback = try VideoPlayback(loop.remote, backlog: 100)
    let start = ContinuousClock.now
    let frames = await collect(30, from: playback.frames)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    source.stop()
    #expect(frames.count == 30)
    // 30 frames take 1.93 s; a busy machine needs longer, never less.
    #expect(seconds > 1.5)
    let clocks = frames.compactMap(ClockBlocks.read)
    #expect(clocks.count == 30)
    let now = UInt64(Date().timeIntervalSince1970 * 1000)
    let last = try #require(clocks.last)
    #expect((now & (1 << 40 - 1)) - last.milliseconds < 20_000)
    for (a, b) in zip(clocks, clocks.dropFirst()) { #expect(b.milliseconds >= a.milliseconds) }
    let colour = frames[0].meanColour
    #expect(abs(Int(colour.u) - Int(TestPattern.colours[2].u)) < 20)
  }
}
