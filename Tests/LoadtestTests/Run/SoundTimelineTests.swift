import RoomRTP
import Testing

@testable import RoomLoadtest

@Suite("Gaps in a listener's audio")
struct SoundTimelineTests {
  private func longest(_ packets: [(number: Int, milliseconds: Int64)]) -> Int64 {
    var timeline = SoundTimeline()
    var now = Instant(microseconds: 0)
    for packet in packets {
      now = Instant(microseconds: packet.milliseconds * 1000)
      timeline.take(UInt32.max &+ UInt32(packet.number) &* 960, at: now)
    }
    return timeline.takeLongest(at: now) / 1000
  }

  @Test("packets in time cause no gap, and a late one causes a gap as long as the player has no audio")
  func steady() {
    #expect(longest((0..<100).map { ($0, Int64($0) * 20) }) == 0)
    #expect(longest([(0, 0), (1, 25), (2, 40), (3, 60)]) == 5)
    // The player stays 30 ms behind, so the same delay causes no further gap.
    #expect(longest([(0, 0), (1, 50), (2, 51), (3, 60), (4, 110)]) == 30)
  }

  @Test("a burst after a pause is one gap, as long as the pause")
  func burst() {
    #expect(longest([(0, 0), (1, 20), (2, 140), (3, 141), (4, 142), (5, 143), (6, 160)]) == 100)
  }

  @Test("a missing packet is a gap, and so is a jump of the timestamp")
  func missing() {
    #expect(longest([(0, 0), (1, 20), (5, 100), (6, 120)]) == 60)
    #expect(longest([(0, 0), (1, 20), (101, 40)]) == 1980)
  }

  @Test("late packets are ignored, and another stream continues")
  func late() {
    #expect(longest([(0, 0), (1, 20), (1, 21), (0, 22), (2, 40)]) == 0)
    var timeline = SoundTimeline()
    timeline.take(0, at: Instant(microseconds: 0))
    timeline.changeStream()
    timeline.take(777_777, at: Instant(microseconds: 20_000))
    #expect(timeline.takeLongest(at: Instant(microseconds: 20_000)) == 0)
    #expect(timeline.takeLongest(at: Instant(microseconds: 90_000)) == 50_000)
  }
}
