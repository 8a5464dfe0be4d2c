import RoomCodecs
import Foundation
import Testing

@testable import RoomMedia

@Suite("A media file source")
struct MediaFileSourceTests {
  @Test("a film plays in real time, then ends")
  func film() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "film-\(UUID().uuidString).mp4").path
    try ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=15:duration=2", "-f", "lavfi", "-i",
      "sine=frequency=523:sample_rate=44100:duration=2", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", path,
    ])
    defer { try? FileManager.default.removeItem(atPath: path) }

    let film = try MediaFileSource(path: path)
    let (video, audio) = (try #require(film.video), try #require(film.audio))
    #expect(film.tracks.count == 2)
    #expect(video.configuration.settings.fps == 15)
    let (videoLoop, audioLoop) = (Loop(video.track, codec: .h264), Loop(audio.track, codec: .opus))
    let pictures = try VideoPlayback(videoLoop.remote, backlog: 100)
    let sound = try AudioPlayback(audioLoop.remote, backlog: 200)
    let start = ContinuousClock.now
    film.start()
    film.start()
    await film.finished()
    #expect(ContinuousClock.now - start > .seconds(1.5))

    let frames = await collect(25, from: pictures.frames)
    #expect(frames.count == 25)
    #expect(frames.allSatisfy { $0.width == 320 && $0.height == 180 })
    let samples = await collect(90, from: sound.frames).flatMap(\.samples)
    let tone = try #require(ToneDetector.strongestTone(in: samples.suffix(9600), sampleRate: 48_000))
    #expect(abs(tone.frequency - 523) < 5)
  }

  @Test("a missing file is rejected")
  func missing() {
    #expect(throws: CodecError.self) { try MediaFileSource(path: "/nonexistent.mp4") }
  }
}
