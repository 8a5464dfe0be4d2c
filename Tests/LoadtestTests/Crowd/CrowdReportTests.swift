import Foundation
import Testing

@testable import RoomLoadtest

@Suite("The report of loadtest crowd")
struct CrowdReportTests {
  private func result(_ target: String, join: Double) -> CrowdResult {
    var result = CrowdResult(target: target, people: 1000)
    result.joinMilliseconds = join
    result.messages = 50
    result.deliveries = 50_000
    result.deliveryMicroseconds = 8.25
    result.offers = 949
    return result
  }

  @Test("the medians of several runs are reported for each executable, and drawn")
  func medians() {
    let series = Series([2.5, 9.5, 2.75].flatMap { [result("release", join: $0), result("before", join: 4 * $0)] })
    #expect(series.medians.map(\.target) == ["release", "before"])
    #expect(series.medians.map(\.joinMilliseconds) == [2.75, 11])
    let table = series.text
    #expect(table.contains("| 3 | before | 1000 | 11.00 |"))
    #expect(table.contains("| release | 2.75 |"))
    let chart = BarChart.svg(series.panels)
    #expect(chart.contains(">before<") && chart.contains("11.00 ms") && chart.contains("8.25 µs"))
  }

  @Test("one run is a JSON object with the documented names, several are a series")
  func json() throws {
    let one = try Series([result("release", join: 1)]).json()
    for name in ["join_cpu_ms", "publish_cpu_ms", "cpu_us_per_delivery", "cpu_us_per_offer", "leave_cpu_ms"] {
      #expect(one.contains("\"\(name)\""))
    }
    #expect(try JSONDecoder().decode(CrowdResult.self, from: Data(one.utf8)).isValid)
    let two = try Series([result("a", join: 1), result("b", join: 1)]).json()
    #expect(two.contains("\"medians\""))
  }

  @Test("a missing message or offer, or a closed connection, makes a run invalid")
  func unsound() {
    var bad = result("release", join: 1)
    bad.missingDeliveries = 7
    #expect(!bad.isValid)
    #expect(Series([bad]).text.contains("7 of 50000 messages"))
    bad = result("release", join: 1)
    bad.missingOffers = 1
    #expect(!bad.isValid)
    bad = result("release", join: 1)
    bad.failure = "too slow"
    #expect(!bad.isValid)
    #expect(Series([bad]).text.contains("too slow"))
  }
}
