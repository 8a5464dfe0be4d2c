import Testing

@testable import RoomRTP

@Suite("Media time")
struct MediaTimeTests {
  @Test("has the memory layout of its number")
  func layout() { #expect(MemoryLayout<MediaTime>.stride == 8 && MemoryLayout<MediaTime?>.size == 9) }

  @Test("ticks round-trip to within one, at any rate and far from the start", arguments: [1, 30, 1000, 44_100, 48_000, 90_000])
  func ticks(rate: Int64) {
    for second in [Int64(-5), 0, 1, 86_400, 3_155_760_000] {
      for part in [0, 1, rate / 3, rate - 1] {
        let ticks = second * rate + part
        #expect(abs(MediaTime(ticks: ticks, rate: rate).ticks(rate: rate) - ticks) <= 1)
      }
      #expect(MediaTime(ticks: second * rate, rate: rate).microseconds == second * 1_000_000)
    }
  }

  @Test("an RTP timestamp wraps after 2³² ticks")
  func wrap() {
    let time = MediaTime(ticks: 0x1_0000_0005, rate: 48_000)
    #expect((4...5).contains(time.rtpTimestamp(rate: 48_000)))
    #expect(MediaTime(microseconds: -1_000_000).rtpTimestamp(rate: 90_000) == UInt32.max - 89_999)
  }

  @Test("milliseconds are rounded towards zero")
  func milliseconds() {
    #expect(MediaTime(microseconds: 1999).milliseconds == 1)
    #expect(MediaTime(microseconds: -1999).milliseconds == -1)
    #expect(MediaTime(milliseconds: 40).milliseconds(since: MediaTime(microseconds: 500)) == 39)
  }

  @Test("a timeline that starts later has earlier times")
  func relative() {
    let start = MediaTime(milliseconds: 1500)
    #expect(start.relative(to: start) == .zero)
    #expect(start.advanced(milliseconds: 20).advanced(microseconds: 5).relative(to: start) == MediaTime(microseconds: 20_005))
    #expect(MediaTime.zero.relative(to: start) < .zero)
  }

  @Test("the media clock runs with the monotonic clock")
  func mediaClock() {
    let moment = Instant(microseconds: 7_000_000)
    #expect(moment.advanced(milliseconds: 160).mediaTime - moment.mediaTime == 160_000)
  }
}
