import Testing

@testable import RoomClient

@Suite("The statistics schedule")
struct StatisticsScheduleTests {
  private let start = ContinuousClock.now

  /// Returns whether a report is due at each of these times, in seconds after the start.
  private func due(_ schedule: inout StatisticsSchedule, _ seconds: Double...) -> [Bool] {
    seconds.map { schedule.isDue(now: start + .seconds($0)) }
  }

  @Test("is due one interval after the join, then once for each interval")
  func interval() {
    var schedule = StatisticsSchedule(interval: .seconds(3))
    #expect(due(&schedule, 100) == [false], "nobody has joined")
    schedule.joined(now: start)
    #expect(due(&schedule, 2.999, 3, 3, 5.999, 6) == [false, true, false, false, true])
    #expect(schedule.pause <= .milliseconds(500))
  }

  @Test("a new interval starts when it is set; nil stops the reports")
  func changes() {
    var schedule = StatisticsSchedule(interval: nil)
    schedule.joined(now: start)
    #expect(due(&schedule, 3600) == [false])
    schedule.set(interval: .seconds(1), now: start + .seconds(10))
    #expect(due(&schedule, 10.999, 11) == [false, true])
    schedule.set(interval: nil, now: start + .seconds(11))
    #expect(due(&schedule, 3600) == [false])
  }

  @Test(
    "an interval out of range is clamped",
    arguments: [(0.0, 0.1), (-1, 0.1), (1e9, 86_400), (0.1, 0.1)])
  func limits(asked: Double, used: Double) {
    var schedule = StatisticsSchedule(interval: .seconds(asked))
    schedule.joined(now: start)
    #expect(due(&schedule, used - 0.001, used) == [false, true])
    #expect(schedule.pause >= .milliseconds(50))
  }
}
