import Foundation
import Testing

@testable import RoomLoadtest

@Suite("The report of loadtest first-picture")
struct FirstPictureReportTests {
  private func result(_ target: String, picture: Double, failures: Int = 0) -> FirstPictureResult {
    let spread = FirstPictureResult.Spread([picture / 2])
    return FirstPictureResult(
      target: target, rate: 50, joins: 1000, failures: failures, failure: failures > 0 ? "refused" : nil, joined: spread,
      offered: spread, connected: spread, packet: spread, keyFrame: spread, pictureP50: picture, pictureP95: 2 * picture,
      pictureP99: 3 * picture, cpuPercent: 20, botsPercent: 60, othersPercent: 1, joinLateness: 2, publisherLateness: 3,
      startsFromRing: 900, keyFrameRequests: nil)
  }

  @Test("the medians of several runs are reported for each executable, and drawn")
  func medians() {
    let series = Series([30.0, 90, 40].flatMap { [result("release", picture: $0), result("before", picture: 4 * $0)] })
    #expect(series.medians.map(\.pictureP99) == [120, 480])
    let table = series.text
    #expect(table.contains("| 40 / 80 / 120 |") && table.contains("| 900, – |"))
    #expect(BarChart.svg(series.panels).contains("480 ms"))
  }

  @Test("one run is a JSON object with the documented names, several are a series")
  func json() throws {
    let one = try Series([result("release", picture: 30)]).json()
    for name in ["joined_ms", "connected_ms", "packet_ms", "key_frame_ms", "picture_ms_p50", "picture_ms_p99"] {
      #expect(one.contains("\"\(name)\""))
    }
    #expect(try JSONDecoder().decode(FirstPictureResult.self, from: Data(one.utf8)).pictureP95 == 60)
    #expect(try Series([result("a", picture: 1), result("b", picture: 1)]).json().contains("\"medians\""))
  }

  @Test("a join without a picture makes a run invalid, and its reason is printed")
  func unsound() {
    let series = Series([result("release", picture: 30, failures: 2)])
    #expect(!series.isValid)
    #expect(series.text.contains("2 of 1000 joins had no picture: refused"))
  }
}
