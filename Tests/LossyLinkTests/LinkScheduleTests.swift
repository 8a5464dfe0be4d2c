import RoomLinkModel
import Testing

@testable import RoomLossyLink

@Suite("A link's schedule")
struct LinkScheduleTests {
  @Test("each step applies from its time on, in whichever order the steps are given")
  func steps() throws {
    func step(_ second: Int64, _ rate: Int64) -> LinkSchedule.Step {
      .init(at: second * 1_000_000, down: LinkConditions(rate: rate), up: .perfect)
    }
    let schedule = try #require(LinkSchedule([step(20, 3), step(0, 1), step(10, 2)]))
    let rates = [0, 9_999_999, 10_000_000, 19_999_999, 20_000_000, 1_000_000_000].map { schedule.step(at: $0).down.rate }
    #expect(rates == [1, 1, 2, 2, 3, 3])
    #expect(LinkSchedule([]) == nil)
  }

  @Test("RFC 8867 §5.1 changes the capacity at 40, 60 and 80 s, with a queue of 300 ms at each rate")
  func rfc8867() {
    let schedule = RFC8867.variableCapacity.schedule(down: LinkConditions(delay: 50_000), up: LinkConditions(delay: 50_000))
    let down = [0, 39, 40, 59, 60, 79, 80, 100].map { schedule.step(at: $0 * 1_000_000).down }
    #expect(down.map { $0.rate ?? 0 } == [1000, 1000, 2500, 2500, 600, 600, 1000, 1000].map { $0 * 1000 })
    #expect(down.map(\.queue) == [37_500, 37_500, 93_750, 93_750, 22_500, 22_500, 37_500, 37_500])
    #expect(down.allSatisfy { $0.delay == 50_000 } && schedule.steps.allSatisfy { $0.up.rate == nil })
  }

  @Test("a scale multiplies every capacity")
  func scale() {
    let schedule = RFC8867.severalFlows.schedule(scale: 0.5, down: .perfect, up: .perfect)
    #expect(schedule.steps.map { $0.down.rate ?? 0 } == [2_000_000, 1_000_000, 1_750_000, 500_000, 1_000_000])
  }
}
