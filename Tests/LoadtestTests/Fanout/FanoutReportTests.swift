import Foundation
import Testing

@testable import RoomLoadtest

@Suite("The report of loadtest fanout")
struct FanoutReportTests {
  private func result(_ target: TargetKind, cpu: Double?, lost: Int = 0) -> FanoutResult {
    FanoutResult(
      target: target, subscribers: 200, publishers: 1, seconds: 20, profile: "gcm", packetsPerSecond: 35_000,
      megabitsPerSecond: 210, cpuPerPacket: cpu, cpuPercent: cpu.map { $0 * 3.5 }, systemPercent: 60, othersPercent: 1,
      botsPercent: 9, loss: Double(lost) / 700_000, lostPackets: lost, duplicates: 0, receiverDrops: 0, silentStreams: 0,
      sampled: 5000, unauthentic: 0, joinP50: 12, joinP99: 30, videoP50: 40, videoP99: 80, delayP50: 1, delayP99: 4,
      kilobytesPerSubscriber: 90,
      proportionalKilobytesPerSubscriber: 89, residentMegabytes: 60, gso: ["roomserver_media_gso_messages_total": 7])
  }

  private func object(_ series: Series<FanoutResult>) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(series.json().utf8)) as? [String: Any])
  }

  @Test("one measurement is a JSON object with the names that scripts rely on")
  func one() throws {
    let object = try object(Series([result(.roomserver, cpu: 2.5)]))
    #expect(object["cpu_us_per_packet"] as? Double == 2.5)
    #expect(object["packets_per_second"] as? Double == 35_000)
    #expect(object["loss"] as? Double == 0)
    #expect(object["join_ms_p50"] as? Double == 12 && object["join_ms_p99"] as? Double == 30)
    #expect(object["kb_per_subscriber"] as? Double == 90)
    #expect(object["target"] as? String == "roomserver" && object["subscribers"] as? Int == 200)
    #expect((object["gso"] as? [String: Int])?["roomserver_media_gso_messages_total"] == 7)
  }

  @Test("several are a series with the median of each target and the ratio of their CPU")
  func series() throws {
    let series = Series([
      result(.roomserver, cpu: 2), result(.janus, cpu: 20), result(.roomserver, cpu: 9), result(.janus, cpu: 24),
      result(.roomserver, cpu: 3), result(.janus, cpu: 18),
    ])
    let object = try object(series)
    #expect((object["runs"] as? [Any])?.count == 6)
    let medians = try #require(object["medians"] as? [[String: Any]])
    #expect(medians.map { $0["cpu_us_per_packet"] as? Double } == [3, 20])
    let ratio = try #require((object["cpu_ratios"] as? [[String: Any]])?.first)
    #expect(ratio["target"] as? String == "roomserver" && ratio["to"] as? String == "janus")
    #expect(ratio["ratio"] as? Double == 0.15)
  }

  @Test("without a known process there is no CPU, and no ratio")
  func withoutProcess() throws {
    let series = Series([result(.roomserver, cpu: nil), result(.janus, cpu: 20)])
    #expect(series.cpuRatios.isEmpty)
    #expect(series.text.contains("| 1 | roomserver | 35000 | – |"))
  }

  @Test("the table numbers the pairs and lists losses")
  func table() {
    let text = Series([
      result(.roomserver, cpu: 2), result(.janus, cpu: 20), result(.roomserver, cpu: 2), result(.janus, cpu: 20, lost: 3),
    ]).text
    #expect(text.contains("| 2 | janus | 35000 | 20.00 | 70.0 (60) | 3 |"))
    #expect(text.contains("roomserver : janus = 0.100 (1/10.0)"))
  }

  @Test("the chart is one SVG with a bar for each target and figure")
  func chart() throws {
    let svg = BarChart.svg(Series([result(.roomserver, cpu: 2), result(.janus, cpu: 20)]).panels)
    #expect(svg.hasPrefix("<svg") && svg.hasSuffix("</svg>\n"))
    #expect(svg.components(separatedBy: "<rect").count == 7)
    #expect(svg.contains("2.00 µs") && svg.contains("20.00 µs"))
  }

  @Test("quantiles take the nearest rank", arguments: [(0.5, 2.0), (0.99, 4), (0.25, 1), (1, 4), (0, 1)])
  func quantiles(fraction: Double, value: Double) {
    #expect([4.0, 1, 3, 2].quantile(fraction) == value)
    #expect([Double]().quantile(fraction) == nil)
  }

  @Test("a server's counters are parsed with their labels, and invalid numbers are omitted")
  func metrics() {
    let before = ServerMetrics(parsing: "# HELP a b\nmedia_gso_total{size=\"4\"} 10\nother 1\n")
    let after = ServerMetrics(parsing: "media_gso_total{size=\"4\"} 15\nother 9\nbroken\nhalf 0.5\n")
    #expect(after.growth(since: before, of: "gso") == ["media_gso_total{size=\"4\"}": 5])
  }
}
