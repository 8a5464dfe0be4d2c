import Foundation
import RoomMediaTimeLiterals
import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomCodecs

@Suite("A media file")
struct MediaFileTests {
  private let picture = ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=15:duration=2"]
  private let sound = ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=44100:duration=2"]

  private func readAll(_ file: MediaFile, limit: Int = 2000) throws -> (video: [VideoFrame], audio: [AudioFrame]) {
    var video: [VideoFrame] = []
    var audio: [AudioFrame] = []
    while video.count + audio.count < limit, let sample = try file.next() {
      switch sample {
      case .video(let frame): video.append(frame)
      case .audio(let frame): audio.append(frame)
      }
    }
    return (video, audio)
  }

  @Test(
    "all video and audio is returned with its times",
    arguments: [
      ("mp4", ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac"], "h264", "aac"),
      (
        "mkv", ["-c:v", "libvpx", "-deadline", "realtime", "-pix_fmt", "yuv420p", "-c:a", "libopus", "-ar", "48000"], "vp8",
        "opus"
      ),
      ("mov", ["-c:v", "mjpeg", "-pix_fmt", "yuvj422p", "-c:a", "pcm_s16le"], "mjpeg", "pcm_s16le"),
    ])
  func contents(ending: String, arguments: [String], videoCodec: String, audioCodec: String) throws {
    let path = try makeClip(ending, picture + sound + arguments)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try MediaFile(path: path)
    #expect(file.video?.codec == videoCodec)
    #expect(file.audio?.codec == audioCodec)
    #expect(file.video.map { ($0.width, $0.height) } ?? (0, 0) == (320, 180))
    #expect(abs((file.video?.frameRate ?? 0) - 15) < 0.1)

    let (video, audio) = try readAll(file)
    #expect(video.count == 30)
    for (a, b) in zip(video, video.dropFirst()) { #expect(abs(b.timestamp - a.timestamp - 66_667) < 2_000) }
    #expect(try #require(video.first).timestamp < 100_000)
    #expect(video.allSatisfy { $0.width == 320 && $0.height == 180 })
    #expect(try #require(video.last?.psnr(to: video[0])) < 40)

    let samples = audio.flatMap(\.samples)
    #expect(abs(samples.count - 96_000) < 4_800)
    for (a, b) in zip(audio, audio.dropFirst()) { #expect(abs(a.end - b.timestamp) <= 50_000) }
    let found = try #require(ToneDetector.strongestTone(in: samples[20_000..<29_600], sampleRate: 48_000))
    #expect(abs(found.frequency - 440) < 5)
    #expect(file.brokenPackets == 0)
    #expect(try file.next() == nil)
  }

  @Test("a looping file continues with increasing times")
  func loop() throws {
    let path = try makeClip("mp4", picture + sound + ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac"])
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try MediaFile(path: path, loops: true)
    var video: [VideoFrame] = []
    var audio: [AudioFrame] = []
    while video.count < 100, let sample = try file.next() {
      switch sample {
      case .video(let frame): video.append(frame)
      case .audio(let frame): audio.append(frame)
      }
    }
    #expect(video.count == 100)
    for (a, b) in zip(video, video.dropFirst()) { #expect((1...200_000).contains(b.timestamp - a.timestamp)) }
    for (a, b) in zip(audio, audio.dropFirst()) { #expect(b.timestamp.advanced(microseconds: 1) >= a.end) }
    #expect(try #require(video[30].psnr(to: video[0])) > 60)
  }

  @Test(
    "every common pixel format is converted to I420",
    arguments: ["yuv444p", "yuv422p", "rgb24", "bgr0", "rgba", "nv12", "nv21", "gray", "yuyv422", "uyvy422", "yuv420p10le"])
  func pixelFormats(format: String) throws {
    let path = try makeClip("nut", picture + ["-frames:v", "2", "-c:v", "rawvideo", "-pix_fmt", format])
    let plain = try makeClip(
      "nut", picture + ["-frames:v", "2", "-c:v", "rawvideo", "-pix_fmt", format == "gray" ? "gray" : "yuv420p"])
    defer { for path in [path, plain] { try? FileManager.default.removeItem(atPath: path) } }
    let (frames, _) = try readAll(MediaFile(path: path))
    let (expected, _) = try readAll(MediaFile(path: plain))
    #expect(frames.count == 2)
    #expect(try #require(frames.first?.psnr(to: expected[0])) > 25)
  }

  @Test("an elementary stream without times is timed by its frame rate")
  func elementary() throws {
    let path = try makeClip("h264", picture + ["-c:v", "libx264", "-bf", "0", "-pix_fmt", "yuv420p"])
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try MediaFile(path: path)
    #expect(file.audio == nil)
    let (video, _) = try readAll(file)
    #expect(video.count == 30)
    for (a, b) in zip(video, video.dropFirst()) { #expect(b.timestamp > a.timestamp) }
  }

  @Test("an invalid media file is rejected with a reason")
  func refused() throws {
    #expect(throws: CodecError.self) { try MediaFile(path: "/nonexistent.mp4") }
    let path = FileManager.default.temporaryDirectory.appending(path: "text-\(UUID().uuidString).mp4").path
    try Data("this is no film".utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(throws: CodecError.self) { try MediaFile(path: path) }
  }

  @Test("a damaged file never traps, looping or not", arguments: [false, true])
  func damaged(loops: Bool) throws {
    let path = try makeClip("mp4", picture + sound + ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac"])
    defer { try? FileManager.default.removeItem(atPath: path) }
    let whole = try Data(contentsOf: URL(filePath: path))
    var random = SeededGenerator(seed: 21)
    for _ in 0..<12 {
      var data = whole
      for _ in 0..<Int.random(in: 1...200, using: &random) {
        data[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { data = data.prefix(Int.random(in: 1...data.count, using: &random)) }
      try data.write(to: URL(filePath: path))
      if let file = try? MediaFile(path: path, loops: loops) { _ = try? readAll(file, limit: 300) }
    }
  }
}
