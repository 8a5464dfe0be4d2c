import RoomCodecs
import RoomRTP
import Testing

@testable import RoomMedia

@Suite("The layers of a simulcast that a path carries, in virtual time")
struct LayerPlanTests {
  private static let layers = [
    VideoEncoderSettings(width: 160, height: 90, fps: 15, bitrate: 100_000),
    VideoEncoderSettings(width: 320, height: 180, fps: 24, bitrate: 200_000),
    VideoEncoderSettings(width: 640, height: 360, fps: 24, bitrate: 700_000),
  ]

  private func bitrates(_ available: Int?, _ wanted: [Bool] = [true, true, true]) -> [Int] {
    LayerPlan(Self.layers, available: available).bitrates(available: available, wanted: wanted)
  }

  @Test("the smaller layers have their bitrate first, the largest has the rest, and is off below its minimum")
  func division() {
    #expect(bitrates(nil) == [100_000, 200_000, 700_000])
    #expect(bitrates(2_000_000) == [100_000, 200_000, 700_000])
    #expect(bitrates(600_000) == [100_000, 200_000, 300_000])
    #expect(bitrates(579_999) == [100_000, 200_000, 0])
    #expect(bitrates(179_999) == [100_000, 0, 0])
    #expect(bitrates(40_000) == [40_000, 0, 0])
    #expect(bitrates(39_999) == [0, 0, 0])
  }

  @Test("below 1.2 times the smaller layers the largest is off, whatever its minimum")
  func share() {
    let plan = { LayerPlan(Self.layers, minBitrate: 30_000, available: $0) }
    #expect(plan(360_000).count == 3)
    #expect(plan(359_999).count == 2)
  }

  @Test("a layer that no one receives is off, and its bitrate free for the others")
  func wanted() {
    #expect(bitrates(600_000, [true, false, false]) == [100_000, 0, 0])
    #expect(bitrates(600_000, [true, false, true]) == [100_000, 0, 500_000])
    #expect(bitrates(nil, [false, false, false]) == [0, 0, 0])
  }

  @Test("a layer is off after a second of shortage, and on after 3 s with room to spare")
  func time() {
    var plan = LayerPlan(Self.layers)
    var now: Int64 = 0
    func spend(_ milliseconds: Int64, at bitrate: Int) {
      for _ in 0..<(milliseconds / 40) {
        plan.update(available: bitrate, now: Instant(microseconds: now))
        now += 40_000
      }
    }
    spend(900, at: 300_000)
    #expect(plan.count == 3)
    // In the meantime no layer has more than is left.
    #expect(plan.bitrates(available: 300_000, wanted: [true, true, true]) == [100_000, 200_000, 30_000])
    spend(400, at: 300_000)
    #expect(plan.count == 2)
    spend(5000, at: 700_000)
    #expect(plan.count == 2)
    spend(2900, at: 800_000)
    #expect(plan.count == 2)
    spend(400, at: 800_000)
    #expect(plan.count == 3)
    spend(2000, at: 10_000)
    #expect(plan.count == 0)
  }

  @Test("the small layer fits into 176x144 in either orientation, and keeps the aspect")
  func small() {
    let size = { (width: Int, height: Int) in
      let small = VideoEncoderSettings.smallLayer(of: .init(width: width, height: height, fps: 24, bitrate: 1_000_000))
      return [small.width, small.height, small.fps, small.bitrate, small.keyFrameInterval]
    }
    #expect(size(1280, 720) == [176, 100, 15, 100_000, 45])
    #expect(size(720, 1280) == [100, 176, 15, 100_000, 45])
    #expect(size(640, 480) == [176, 132, 15, 100_000, 45])
    #expect(size(480, 480) == [144, 144, 15, 100_000, 45])
    #expect(size(100, 80) == [100, 80, 15, 100_000, 45])
    let middle = VideoEncoderSettings.middleLayer(of: .init(width: 718, height: 1280, fps: 24, bitrate: 1_000_000))
    #expect([middle.width, middle.height, middle.fps, middle.bitrate] == [358, 640, 24, 300_000])
  }
}
