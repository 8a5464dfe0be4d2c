import RoomRTP
import Testing

@Suite("The sender's reports")
struct SendStatisticsTests {
  private func at(milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

  /// Sends pictures, 40 ms apart, each with the delay that `delay` returns for its time, in milliseconds.
  /// - Parameter lag: milliseconds of the wall clock that the media clock lacks.
  private func send(
    _ statistics: inout SendStatistics, from begin: Int64, to end: Int64, lag: Int64 = 0, delay: (Int64) -> Int64 = { _ in 0 }
  ) {
    for time in stride(from: begin, to: end, by: 40) {
      let timestamp = UInt32(truncatingIfNeeded: 0xffff_0000 + (time - lag) * 90)
      statistics.send(timestamp: timestamp, payloadLength: 100, now: at(milliseconds: time + delay(time)))
    }
  }

  /// How many milliseconds the report of this time differs from the media clock.
  private func error(_ statistics: SendStatistics, at time: Int64, lag: Int64 = 0) throws -> Int64 {
    let now = at(milliseconds: time)
    let timestamp = try #require(statistics.report(now: now, ntpTime: NTPTime(now))).rtpTimestamp
    return Int64(Int32(bitPattern: timestamp &- UInt32(truncatingIfNeeded: 0xffff_0000 + (time - lag) * 90))) / 90
  }

  @Test("a stall of the sender does not move the report")
  func stall() throws {
    var statistics = SendStatistics(ssrc: 1, clockRate: 90_000)
    #expect(statistics.report(now: at(milliseconds: 0), ntpTime: NTPTime(at(milliseconds: 0))) == nil)
    for begin in stride(from: Int64(0), to: 60_000, by: 4000) {
      send(&statistics, from: begin, to: begin + 4000) { $0 - begin >= 3700 ? 250 : 3 }
      #expect(try error(statistics, at: begin + 4250) == -3)
    }
  }

  @Test("a pause of the source, and another source, move the report at once")
  func pause() throws {
    var statistics = SendStatistics(ssrc: 1, clockRate: 90_000)
    send(&statistics, from: 0, to: 8000)
    send(&statistics, from: 11_000, to: 11_040, lag: 3000)
    #expect(try error(statistics, at: 11_100, lag: 3000) == 0)
    send(&statistics, from: 12_000, to: 12_080, lag: -60_000)
    #expect(try error(statistics, at: 12_100, lag: -60_000) == 0)
  }

  @Test("the report follows a slow clock within ten seconds")
  func drift() throws {
    var statistics = SendStatistics(ssrc: 1, clockRate: 90_000)
    for second in Int64(0)..<60 { send(&statistics, from: second * 1000, to: second * 1000 + 1000, lag: second / 4) }
    #expect(try abs(error(statistics, at: 60_000, lag: 14)) <= 3)
  }
}
