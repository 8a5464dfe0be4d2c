import Testing

@testable import RoomServer

@Suite("Shares of the server's capacity in use")
struct LoadSharesTests {
  private static func reading(at second: Int64, workers: [Double], busy: UInt64, total: UInt64) -> AlarmReadings {
    var reading = AlarmReadings(now: second * 1000, wall: 0)
    reading.workers = workers
    reading.machine.processor = MachineReading.Processor(busy: busy, total: total)
    reading.machine.memory = 0.4
    return reading
  }

  @Test("are rates between two readings")
  func rates() {
    let before = Self.reading(at: 10, workers: [5, 1], busy: 100, total: 1000)
    let load = LoadShares(from: before, to: Self.reading(at: 14, workers: [9, 2], busy: 200, total: 1400))
    // One worker used 4 s of 4, the other 1 s.
    #expect(load.media == 0.625 && load.processors == 0.25 && load.memory == 0.4)
  }

  @Test("are 0 without time between the readings, or without a figure")
  func nothing() {
    let reading = Self.reading(at: 10, workers: [5], busy: 100, total: 1000)
    #expect(LoadShares(from: reading, to: reading).media == 0)
    let load = LoadShares(from: reading, to: AlarmReadings(now: 20_000, wall: 0))
    #expect(load == LoadShares())
  }
}
