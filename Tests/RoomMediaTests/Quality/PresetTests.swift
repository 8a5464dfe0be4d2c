import RoomCodecs
import Testing

@testable import RoomMedia

@Suite("Quality presets")
struct PresetTests {
  @Test(
    "video presets have the specified size, profile, bitrate and key frame interval",
    arguments: [
      (VideoPreset.low1, 272, 480, H264Encoder.Profile.baseline, 128), (.low2, 272, 480, .baseline, 256),
      (.low3, 272, 480, .baseline, 512), (.medium1, 368, 640, .high, 512), (.medium2, 368, 640, .high, 768),
      (.medium3, 368, 640, .high, 1024), (.high1, 720, 1280, .high, 1024), (.high2, 720, 1280, .high, 1280),
      (.high3, 720, 1280, .high, 1536),
    ])
  func table(preset: VideoPreset, width: Int, height: Int, profile: H264Encoder.Profile, kbps: Int) throws {
    let configuration = preset.configuration()
    #expect(configuration.codec == .h264)
    #expect(configuration.profile == profile)
    #expect(configuration.settings == .init(width: width, height: height, fps: 24, bitrate: kbps * 1000, keyFrameInterval: 72))
    try configuration.check()
    let landscape = preset.configuration(.landscape).settings
    #expect((landscape.width, landscape.height) == (height, width))
    _ = try configuration.makeEncoder()
  }

  @Test("all presets are in the table")
  func complete() {
    #expect(VideoPreset.allCases.count == 9)
    #expect(AudioPreset.allCases.map(\.bitrate) == [64_000, 96_000, 128_000])
    #expect(AudioPreset.high2.settings().bitrate == 96_000)
  }

  @Test(
    "a configuration that fits a picture keeps its aspect ratio within 1280x720 pixels",
    arguments: [(320, 180, 320, 180), (1920, 1080, 1280, 720), (1080, 1920, 720, 1280), (321, 181, 320, 180), (1, 1, 2, 2)])
  func fitting(width: Int, height: Int, toWidth: Int, toHeight: Int) throws {
    let configuration = VideoConfiguration(fitting: width, height, fps: 60)
    #expect((configuration.settings.width, configuration.settings.height) == (toWidth, toHeight))
    #expect(configuration.settings.fps == 30)
    try configuration.check()
  }
}
