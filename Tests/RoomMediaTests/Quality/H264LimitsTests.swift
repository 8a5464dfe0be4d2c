import RoomCodecs
import Testing

@testable import RoomMedia

@Suite("H.264 limits")
struct H264LimitsTests {
  private func configuration(
    _ profile: H264Encoder.Profile, _ level: H264Level?, _ width: Int, _ height: Int, fps: Int = 30, bitrate: Int = 1_000_000
  ) -> VideoConfiguration {
    VideoConfiguration(profile: profile, level: level, .init(width: width, height: height, fps: fps, bitrate: bitrate))
  }

  @Test("the largest size, rate and bitrate of each level are allowed, in both orientations", arguments: H264Limits.all)
  func atTheLimit(limits: H264Limits) throws {
    for (width, height) in [(limits.longSide, limits.shortSide), (limits.shortSide, limits.longSide)] {
      try configuration(limits.profile, limits.level, width, height, fps: limits.fps, bitrate: limits.bitrate).check()
    }
  }

  @Test("values above a limit are rejected, and the error names the limit", arguments: H264Limits.all)
  func beyondTheLimit(limits: H264Limits) throws {
    let (long, short) = (limits.longSide, limits.shortSide)
    #expect(throws: VideoLimitError.size(width: long + 2, height: short, limits: limits)) {
      try configuration(limits.profile, limits.level, long + 2, short).check()
    }
    #expect(throws: VideoLimitError.size(width: short + 2, height: long, limits: limits)) {
      try configuration(limits.profile, limits.level, short + 2, long).check()
    }
    #expect(throws: VideoLimitError.frameRate(31, limits: limits)) {
      try configuration(limits.profile, limits.level, long, short, fps: 31).check()
    }
    #expect(throws: VideoLimitError.bitrate(limits.bitrate + 1, limits: limits)) {
      try configuration(limits.profile, limits.level, long, short, bitrate: limits.bitrate + 1).check()
    }
  }

  @Test("the table matches the specification")
  func table() {
    let rows = H264Limits.all.map {
      "\($0.profile.rawValue) \($0.level.rawValue) \($0.longSide)x\($0.shortSide) \($0.fps) \(Double($0.bitrate) / 1e6)"
    }
    #expect(
      rows == [
        "baseline 3.0 720x480 30 10.0", "baseline 3.1 1280x720 30 14.0", "baseline 4.1 1920x1080 30 50.0",
        "main 3.0 720x480 30 10.0", "main 3.1 1280x720 30 14.0", "main 3.2 1280x1024 30 20.0", "main 4.1 1920x1080 30 50.0",
        "high 4.0 1920x1080 30 25.0", "high 4.1 1920x1080 30 62.5",
      ])
  }

  @Test("without a level the limits of the profile's highest level apply")
  func anyLevel() throws {
    try configuration(.baseline, nil, 1920, 1080, bitrate: 50_000_000).check()
    let limits = try #require(H264Limits.limits(.baseline, .level41))
    #expect(throws: VideoLimitError.size(width: 2560, height: 1440, limits: limits)) {
      try configuration(.baseline, nil, 2560, 1440).check()
    }
  }

  @Test("a level that the profile does not support is rejected")
  func noSuchLevel() {
    #expect(throws: VideoLimitError.noSuchLevel(profile: .high, level: .level30)) {
      try configuration(.high, .level30, 320, 180).check()
    }
  }

  @Test("errors read as sentences")
  func sentences() throws {
    let limits = try #require(H264Limits.limits(.main, .level31))
    #expect(
      VideoLimitError.size(width: 1920, height: 1080, limits: limits).description
        == "1920x1080 is more than H.264 main 3.1 allows: 1280x720")
    #expect(VideoLimitError.frameRate(60, limits: limits).description == "60 fps is more than H.264 main 3.1 allows: 30")
  }

  @Test("VP8 has no such limits")
  func vp8() throws {
    try VideoConfiguration(codec: .vp8, .init(width: 2560, height: 1440, fps: 60, bitrate: 5_000_000)).check()
  }
}
