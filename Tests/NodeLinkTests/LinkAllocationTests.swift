import RoomLinkModel
import RoomRTP
import Testing

@testable import RoomNodeLink

@Suite("Node link: which layers cross") struct LinkAllocationTests {
  private typealias Video = LinkAllocation.Video

  /// A video whose layers have these bitrates in kbit/s. Its streams are `track`, `track` + 1, ….
  private func video(_ track: UInt32, _ rates: [Int], wanted: Set<Int> = [0]) -> Video {
    Video(
      track: track,
      layers: rates.enumerated().map {
        .init(stream: track + UInt32($0.offset), rate: $0.element * 1000, isWanted: wanted.contains($0.offset))
      })
  }

  private func levels(_ videos: [Video], kbps: Int) -> [Int] {
    LinkAllocation.levels(videos, from: videos.map { _ in 0 }, budget: kbps * 1000)
  }

  @Test("the largest layers go first, each video keeps its smallest, then whole videos go") func order() {
    let videos = [video(1, [2500, 700, 150]), video(11, [1900, 600, 100]), video(21, [300])]
    #expect(levels(videos, kbps: 4700) == [0, 0, 0])
    #expect(levels(videos, kbps: 4600) == [1, 0, 0])
    #expect(levels(videos, kbps: 2000) == [1, 1, 0])
    #expect(levels(videos, kbps: 1100) == [2, 1, 0])
    #expect(levels(videos, kbps: 560) == [2, 2, 0])
    // The video without layers is the largest that is left.
    #expect(levels(videos, kbps: 540) == [2, 2, 1])
    #expect(levels(videos, kbps: 200) == [3, 2, 1])
    #expect(levels(videos, kbps: 0) == [3, 3, 1])
  }

  @Test("without a large video, others keep their layers") func large() {
    #expect(levels([video(1, [3000]), video(11, [1500, 400, 100])], kbps: 2000) == [1, 0])
  }

  @Test("layers that several want are held back from the largest on; a smaller one stands in for a wanted one") func wanted() {
    let both = video(1, [2500, 700, 150], wanted: [0, 2])
    #expect(both.sent(at: 0) == [0, 2])
    #expect(both.sent(at: 1) == [1, 2])
    #expect(both.sent(at: 2) == [2])
    #expect(both.sent(at: 3) == [])
    #expect(levels([both], kbps: 2600) == [1])
    #expect(video(1, [2500, 700], wanted: []).sent(at: 1) == [])
    // The order of the offer does not matter.
    #expect(video(1, [150, 700, 2500], wanted: [2]).layers.map(\.stream) == [3, 2, 1])
  }

  @Test("any videos, any budget: the result fits, nothing is held back in vain, no video is left out for a larger layer")
  func properties() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<3_000 {
      let videos = (0..<UInt32.random(in: 0...6, using: &random)).map { number in
        let rates = (0..<Int.random(in: 1...3, using: &random)).map { _ in Int.random(in: 10...3_000, using: &random) }
        return video(number * 10, rates, wanted: Set((0..<3).filter { _ in Bool.random(using: &random) }))
      }
      let budget = Int.random(in: -10...9_000, using: &random) * 1000
      let from = videos.map { Int.random(in: 0...$0.layers.count, using: &random) }
      let levels = LinkAllocation.levels(videos, from: from, budget: budget)
      func total(_ levels: [Int]) -> Int { zip(videos, levels).reduce(0) { $0 + $1.0.rate(at: $1.1) } }
      #expect(levels.count == videos.count)
      for (video, (level, start)) in zip(videos, zip(levels, from)) { #expect((start...video.layers.count).contains(level)) }
      #expect(total(levels) <= max(0, budget))
      if total(from) <= budget { #expect(levels == from) }
      // A whole video goes only if the smallest layers of all do not fit.
      let least = zip(videos, from).reduce(0) { $0 + ($1.1 < $1.0.layers.count ? $1.0.leastRate : 0) }
      if least <= budget {
        for (video, (level, start)) in zip(videos, zip(levels, from)) where start < video.layers.count && video.isWanted {
          #expect(!video.sent(at: level).isEmpty)
        }
      }
      // More room never holds back more videos whole.
      let more = LinkAllocation.levels(videos, from: from, budget: budget + 500_000)
      func whole(_ levels: [Int]) -> Int { zip(videos, levels).count { $0.isWanted && $0.sent(at: $1).isEmpty } }
      #expect(whole(more) <= whole(levels))
    }
  }

  @Test("layers return a few at a time, and later after a step that was too much, unless the link has become wider")
  func patience() {
    let videos = (0..<6).map { video($0 * 10, [1000, 100]) }
    var held = HeldLayers()
    var now = Instant(microseconds: 0)
    func step(_ kbps: Int, milliseconds: Int64 = 100) -> Int {
      now = now.advanced(milliseconds: milliseconds)
      held.update(videos, extra: 0, budget: kbps * 1000, now: now)
      return held.levels.count
    }
    #expect(step(700) == 6)
    #expect(step(10_000) == 6)
    #expect(step(10_000, milliseconds: 1_500) == 2)
    #expect(step(10_000) == 2)
    #expect(step(10_000, milliseconds: 500) == 0)
    #expect(step(10_000, milliseconds: 60_000) == 0)

    #expect(step(5_000) == 2)
    #expect(step(7_200, milliseconds: 1_600) == 0)
    // Too much: the next attempt takes twice as long.
    #expect(step(5_000) == 2)
    #expect(step(7_200, milliseconds: 1_600) == 2)
    #expect(step(7_200, milliseconds: 1_500) == 0)
    #expect(step(5_000) == 2)
    // A wider link counts some time after a failure only.
    #expect(step(10_000, milliseconds: 1_600) == 2)
    #expect(step(10_000, milliseconds: 10_000) == 0)
    // What would just fit does not return.
    #expect(step(5_000) == 2)
    for _ in 0..<100 { #expect(step(5_900, milliseconds: 1_000) == 2) }
  }
}
