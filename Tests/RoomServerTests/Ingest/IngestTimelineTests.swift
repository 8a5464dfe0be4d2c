import RoomMediaTimeLiterals
import RoomRTP
import Testing

@testable import RoomServer

@Suite("the timeline of an ingested stream")
struct IngestTimelineTests {
  private let wall: Int64 = 1_700_000_000_000_000

  @Test("it starts at zero, and audio that started earlier has negative times")
  func beginning() {
    var timeline = IngestTimeline()
    #expect(timeline.time(of: 5000, now: at(milliseconds: 1), wall: wall) == 0)
    #expect(timeline.time(of: 4977, now: at(milliseconds: 1), wall: wall) == -23_000)
    #expect(timeline.time(of: 5066, now: at(milliseconds: 70), wall: wall + 9) == 66_000)
    // Reports of audio and video use one clock, whenever they are made.
    let apart = timeline.ntp(at: 66_000).microseconds - timeline.ntp(at: -23_000).microseconds
    #expect(abs(apart - 89_000) <= 1)
    #expect(timeline.ntp(at: 0) == NTPTime(unixMicroseconds: wall))
  }

  @Test("it continues over the wrap of the milliseconds")
  func wrap() {
    var timeline = IngestTimeline()
    #expect(timeline.time(of: .max - 9, now: at(milliseconds: 0), wall: wall) == 0)
    #expect(timeline.time(of: 30, now: at(milliseconds: 40), wall: wall) == 40_000)
  }

  @Test("after a jump of the encoder's clock, back or forth, it continues by the elapsed time", arguments: [0, 3_600_000])
  func leap(to milliseconds: UInt32) {
    var timeline = IngestTimeline()
    #expect(timeline.time(of: 600_000, now: at(milliseconds: 0), wall: wall) == 0)
    #expect(timeline.time(of: 600_040, now: at(milliseconds: 40), wall: wall) == 40_000)
    #expect(timeline.time(of: milliseconds, now: at(milliseconds: 80), wall: wall) == 80_000)
    #expect(timeline.time(of: milliseconds + 23, now: at(milliseconds: 103), wall: wall) == 103_000)
    // Messages from before the jump are dropped, and change nothing.
    #expect(timeline.time(of: 600_080, now: at(milliseconds: 110), wall: wall) == nil)
    #expect(timeline.time(of: milliseconds + 40, now: at(milliseconds: 120), wall: wall) == 120_000)
  }
}
