import Foundation
import RoomCodecs
import RoomRTP
import RoomProtocol
import Synchronization
import Testing

@testable import RoomClient
@testable import RoomMedia

@Suite("Playback")
struct PlaybackTests {
  /// A frame so short that no decoder accepts it.
  private static func truncated(_ codec: VideoCodec) -> [UInt8] {
    switch codec {
    // A slice without data.
    case .h264: [0, 0, 0, 1, 0x65]
    // A key frame without a header.
    case .vp8, .vp9: [0x10, 0x02]
    // A frame OBU whose header ends after one byte. A temporal delimiter alone would be valid.
    case .av1: [0x32, 0x01, 0x00]
    }
  }

  @Test(
    "after broken video a key frame is requested, nothing is shown until it arrives, and decoding continues",
    arguments: VideoCodec.allCases)
  func brokenVideo(codec: VideoCodec) async throws {
    let source = try VideoSource.testPattern(VideoSourceTests.configuration(codec))
    let loop = Loop(source.track, codec: CodecName(rawValue: codec.rawValue)) { number, frame in
      guard number == 5 else { return frame }
      var broken = frame
      broken.data = Self.truncated(codec)
      return broken
    }
    let playback = try VideoPlayback(loop.remote, backlog: 100)
    let frames = await collect(20, from: playback.frames)
    #expect(frames.count == 20)
    let unreadable = frames.indices.filter { ClockBlocks.read(frames[$0]) == nil }
    #expect(unreadable.isEmpty, "of \(frames.map(\.timestamp.microseconds)); key frames \(loop.sent.map(\.isKeyFrame))")
    #expect(playback.statistics.failed == 1)
    #expect(loop.keyFrameRequests >= 1)
    #expect(loop.sent.filter(\.isKeyFrame).count >= 2)
  }

  @Test(
    "only the first decoded picture is reported", arguments: VideoCodec.allCases)
  func firstPicture(codec: VideoCodec) async throws {
    let source = try VideoSource.testPattern(VideoSourceTests.configuration(codec))
    let reports = Reports()
    let loop = Loop(source.track, codec: CodecName(rawValue: codec.rawValue)) { number, frame in
      guard number < 3 else { return frame }
      var broken = frame
      broken.data = Self.truncated(codec)
      return broken
    } decoded: { _ in
      reports.add()
    }
    let first = try VideoPlayback(loop.remote, backlog: 100)
    let second = try VideoPlayback(loop.remote, backlog: 100)
    #expect(await collect(10, from: first.frames).count == 10)
    #expect(await collect(10, from: second.frames).count == 10)
    #expect(first.statistics.failed >= 1)
    #expect(reports.count == 1, "once for a track, however many play it")
  }

  @Test("lost audio packets are concealed and counted")
  func lostAudio() async throws {
    let source = try AudioSource.tone(frequency: 440, .init(expectedLoss: 20))
    let lost: Set<Int> = [10, 20, 21, 22]
    let loop = Loop(source.track, codec: .opus) { number, frame in lost.contains(number) ? nil : frame }
    let playback = try AudioPlayback(loop.remote)
    let frames = await collect(45, from: playback.frames)
    #expect(frames.count == 45)
    for (a, b) in zip(frames, frames.dropFirst()) { #expect(abs(a.end - b.timestamp) <= 1) }
    #expect(frames.dropFirst(2).allSatisfy { $0.level > 0.01 })
    #expect(playback.statistics.recoveredSamples == 2 * 960)
    #expect(playback.statistics.concealedSamples == 2 * 960)
    #expect(playback.statistics.jumps == 0)
  }

  @Test("broken, repeated and late audio packets leave no gap")
  func brokenAudio() async throws {
    let source = try AudioSource.tone(frequency: 440)
    let loop = Loop(source.track, codec: .opus) { number, frame in
      switch number {
      case 10: EncodedFrame(data: [], timestamp: frame.timestamp, isKeyFrame: true)
      case 15: EncodedFrame(data: frame.data, timestamp: frame.timestamp &- 1920, isKeyFrame: true)
      default: frame
      }
    }
    let playback = try AudioPlayback(loop.remote)
    let frames = await collect(40, from: playback.frames)
    #expect(frames.count == 40)
    for (a, b) in zip(frames, frames.dropFirst()) { #expect(abs(a.end - b.timestamp) <= 1) }
    #expect(playback.statistics.failed == 1)
    #expect(playback.statistics.late == 1)
  }

  @Test("a long silence is skipped, also across the wrap of the timestamp")
  func silence() async throws {
    let encoder = try OpusEncoder()
    var tone = ToneGenerator(frequency: 440)
    let source = try AudioSource()
    let loop = Loop(source.track, codec: .opus)
    let playback = try AudioPlayback(loop.remote)
    for timestamp in [UInt32.max - 959, 0, 960, 960_000] {
      source.track.send(EncodedFrame(data: try encoder.encode(tone.next(960)), timestamp: timestamp, isKeyFrame: true))
    }
    let frames = await collect(4, from: playback.frames)
    #expect(frames.map { $0.timestamp - frames[0].timestamp } == [0, 20_000, 40_000, 20_020_000])
    #expect(playback.statistics.jumps == 1)
  }

  @Test(
    "VP9 and AV1 of others are decoded",
    arguments: zip([CodecName.vp9, .av1], [["libvpx-vp9", "-deadline", "realtime"], ["libaom-av1", "-usage", "realtime"]]))
  func others(codec: CodecName, encoder: [String]) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "film-\(UUID().uuidString).ivf").path
    try ffmpeg(["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=15:duration=1", "-c:v"] + encoder + ["-cpu-used", "8", path])
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let remote = RemoteTrack(userId: "ann", info: TrackInfo(trackId: "t1", kind: .video), codec: codec)
    let playback = try VideoPlayback(remote, backlog: 100)
    // An IVF file has a header of 32 bytes, and one of 12 before each frame.
    var (offset, count) = (32, 0)
    while offset + 12 <= file.count {
      let length = (0..<4).reduce(0) { $0 | Int(file[offset + $1]) << (8 * $1) }
      let data = Array(file[(offset + 12)..<min(file.count, offset + 12 + length)])
      remote.deliver(EncodedFrame(data: data, timestamp: UInt32(count * 6000), isKeyFrame: count == 0))
      offset += 12 + length
      count += 1
    }
    let frames = await collect(14, from: playback.frames)
    #expect(frames.count == 14)
    #expect(frames.allSatisfy { $0.width == 320 && $0.height == 180 })
    #expect(playback.statistics.failed == 0)
  }

  @Test("a codec that cannot be decoded is rejected")
  func unknown() throws {
    let source = try VideoSource(VideoSourceTests.configuration())
    let loop = Loop(source.track, codec: CodecName(rawValue: "h265"))
    #expect(throws: CodecError.self) { try VideoPlayback(loop.remote) }
    #expect(throws: CodecError.self) { try AudioPlayback(loop.remote) }
  }
}

/// Counts the tracks whose first picture was decoded.
private final class Reports: Sendable {
  private let number = Mutex(0)
  func add() { number.withLock { $0 += 1 } }
  var count: Int { number.withLock { $0 } }
}
