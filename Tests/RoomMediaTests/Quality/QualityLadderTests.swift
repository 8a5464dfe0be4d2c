import RoomCodecs
import RoomRTP
import Testing

@testable import RoomMedia

@Suite("The quality ladder of a video, in virtual time")
struct QualityLadderTests {
  private static let nominal = VideoEncoderSettings(width: 368, height: 640, fps: 24, bitrate: 500_000)

  /// A ladder and its clock.
  private struct Climber {
    var ladder: QualityLadder
    var now: Int64 = 0

    init(_ adaptation: VideoAdaptation = .init(), _ settings: VideoEncoderSettings = nominal) {
      ladder = QualityLadder(settings, adaptation)
    }

    /// Updates the ladder 24 times a second.
    mutating func spend(_ seconds: Double, at bitrate: Int) {
      let end = now + Int64(seconds * 1_000_000)
      repeat {
        ladder.update(available: bitrate, now: Instant(microseconds: now))
        now += 41_667
      } while now < end
    }

    var fps: Int { ladder.quality.fps }
    var isPaused: Bool { ladder.quality.isPaused }
  }

  @Test("the bitrate falls to its minimum before the frame rate does")
  func bitrateFirst() {
    var climber = Climber()
    for bitrate in [600_000, 500_000, 300_000, 200_000] {
      climber.spend(5, at: bitrate)
      #expect(climber.fps == 24)
      #expect(climber.ladder.settings(available: bitrate).bitrate == min(bitrate, 500_000))
    }
    climber.spend(0.1, at: 199_999)
    #expect(climber.fps == 20)
  }

  @Test("the frame rate falls step by step, to 10 and no further, then the video pauses")
  func frameRate() {
    var climber = Climber(.init(minBitrate: 200_000))
    var seen: [Int] = []
    for bitrate in stride(from: 210_000, through: 84_000, by: -2000) {
      climber.spend(2, at: bitrate)
      if seen.last != climber.fps { seen.append(climber.fps) }
      #expect(!climber.isPaused)
    }
    #expect(seen == [24, 20, 15, 12, 10])
    climber.spend(1.4, at: 80_000)
    #expect(!climber.isPaused)
    climber.spend(0.3, at: 80_000)
    #expect(climber.isPaused)
    #expect(climber.fps == 10)
  }

  @Test("without a minimum of the app's own the video is not paused above 30 kbit/s")
  func noMinimum() {
    var climber = Climber()
    climber.spend(5, at: 31_000)
    #expect(!climber.isPaused && climber.fps == 10)
    #expect(climber.ladder.settings(available: 31_000).bitrate == 31_000)
    climber.spend(2, at: 29_000)
    #expect(climber.isPaused)
    climber.spend(3.2, at: 40_000)
    #expect(!climber.isPaused)
  }

  @Test("the size falls only if it may, after the frame rate")
  func size() {
    var climber = Climber(.init(lowersSize: true))
    climber.spend(2, at: 60_000)
    #expect(climber.ladder.quality == VideoQuality(width: 276, height: 480, fps: 10))
    climber.spend(2, at: 31_000)
    #expect(climber.ladder.quality == VideoQuality(width: 184, height: 320, fps: 10))
    #expect(climber.ladder.minimum == 30_000)
    climber.spend(2, at: 29_999)
    #expect(climber.isPaused)
    var fixed = Climber(.init(minBitrate: 200_000, lowersFrameRate: false))
    fixed.spend(2, at: 199_999)
    #expect(fixed.isPaused && fixed.fps == 24)
  }

  @Test("the shorter a drop, the less it changes: a step of the frame rate at once, the others later, then size, then a pause")
  func shortDrop() {
    var climber = Climber(.init(lowersSize: true))
    var seen: [(time: Double, quality: VideoQuality)] = []
    while climber.now < 1_800_000 {
      let time = Double(climber.now) / 1_000_000
      climber.spend(0.02, at: 10_000)
      if seen.last?.quality != climber.ladder.quality { seen.append((time, climber.ladder.quality)) }
    }
    #expect(seen.map(\.quality.fps) == [20, 15, 12, 10, 10, 10])
    #expect(seen.map(\.quality.height) == [640, 640, 640, 640, 320, 320])
    for (seen, expected) in zip(seen, [0, 0.3, 0.6, 0.9, 1.2, 1.5]) { #expect(abs(seen.time - expected) <= 0.1) }
  }

  @Test("a step up needs 1.3 times its bitrate for 3 s, and may skip rungs")
  func recovery() {
    var climber = Climber(.init(minBitrate: 200_000))
    climber.spend(3, at: 10_000)
    #expect(climber.isPaused)
    // 10 fps need 83,333 bit/s.
    climber.spend(10, at: 105_000)
    #expect(climber.isPaused)
    climber.spend(2.9, at: 110_000)
    #expect(climber.isPaused)
    climber.spend(0.3, at: 110_000)
    #expect(!climber.isPaused && climber.fps == 10)
    climber.spend(2.9, at: 500_000)
    #expect(climber.fps == 10)
    climber.spend(0.3, at: 500_000)
    #expect(climber.fps == 24)
  }

  @Test("a bitrate that swings around a step changes nothing more than once")
  func swing() {
    var climber = Climber()
    climber.spend(1, at: 195_000)
    var changes = 0
    for _ in 0..<60 {
      let before = climber.ladder.quality
      climber.spend(1, at: 215_000)
      climber.spend(1, at: 190_000)
      if climber.ladder.quality != before { changes += 1 }
    }
    #expect(changes == 0)
    #expect(climber.fps == 20)
  }

  @Test("the app's minimum and a low frame rate are kept, key frames keep their distance in time")
  func settings() {
    var climber = Climber(.init(minBitrate: 400_000))
    climber.spend(0.1, at: 390_000)
    #expect(climber.fps == 20)
    climber.spend(1, at: 180_000)
    #expect(climber.fps == 10)
    #expect(climber.ladder.settings(available: 180_000).keyFrameInterval == 30)
    let slow = VideoEncoderSettings(width: 320, height: 180, fps: 8, bitrate: 100_000)
    var other = Climber(.init(minBitrate: .max), slow)
    #expect(other.ladder.minimum == 100_000)
    other.spend(2, at: 99_999)
    #expect(other.isPaused && other.fps == 8)
    #expect(QualityLadder(slow, .init(minBitrate: -5)).minimum == 30_000)
  }

  @Test("a new ladder begins at the rung that the path carries")
  func begins() {
    #expect(QualityLadder(Self.nominal, .init(), available: 100_000).quality.fps == 12)
    #expect(QualityLadder(Self.nominal, .init(), available: 0).quality.isPaused)
    #expect(QualityLadder(Self.nominal, .init()).quality == VideoQuality(width: 368, height: 640, fps: 24))
  }
}

@Suite("The pictures that a lower frame rate selects")
struct FrameThinningTests {
  @Test(
    "the rate is kept, and the distances are even", arguments: [(24, 20), (24, 15), (24, 10), (30, 10), (15, 12), (30, 20)])
  func rate(source: Int, fps: Int) {
    var thinning = FrameThinning()
    let times = (0..<source * 10).map { MediaTime(ticks: Int64($0), rate: Int64(source)) }
      .filter { thinning.takes($0, fps: fps) }
    #expect(abs(times.count - fps * 10) <= 2, "\(times.count)")
    let longest = zip(times, times.dropFirst()).map { $1.microseconds - $0.microseconds }.max() ?? 0
    // The picture at which one is due may come almost a source interval later.
    #expect(longest <= Int64(1_000_000 / fps + 1_000_000 / source))
  }

  @Test("a clock that jumps starts anew")
  func jump() {
    var thinning = FrameThinning()
    let taken = [0, 5_000_000, 100_000, 110_000, 9_000_000_000].map { thinning.takes(MediaTime(microseconds: $0), fps: 10) }
    #expect(taken == [true, true, true, false, true])
    let takesLast = thinning.takes(MediaTime(microseconds: .max), fps: 0)
    #expect(takesLast)
  }
}

@Suite("The expected loss of audio")
struct ExpectedLossTests {
  @Test("it is the worst of the last three reports, in steps")
  func steps() {
    var loss = ExpectedLoss()
    #expect(loss.percent == nil)
    var seen: [Int?] = []
    for share in [0, 0.004, 0.02, 0.06, 0, 0, 0, 0.2, 0.21, 0.9, 0, 0, 0] {
      loss.report(share)
      seen.append(loss.percent)
    }
    #expect(seen == [0, 0, 5, 10, 10, 10, 0, 20, 30, 30, 30, 30, 0])
  }
}
