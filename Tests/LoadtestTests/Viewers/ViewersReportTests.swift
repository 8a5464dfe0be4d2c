import Foundation
import RoomRTMP
import Testing

@testable import RoomLoadtest

@Suite("The report of loadtest viewers")
struct ViewersReportTests {
  private func result(_ target: StreamServerKind, cpu: Double?, lost: Int = 0, starved: Int = 0) -> ViewersResult {
    ViewersResult(
      target: target, watching: .rtmp, viewers: 1000, seconds: 20, messagesPerSecond: 71_875, megabitsPerSecond: 1150,
      cpuPerMessage: cpu.map { $0 / 71.875 * 10_000 }, cpuPercent: cpu.map { $0 * 1000 }, cpuPercentPerViewer: cpu,
      systemPercent: 80, othersPercent: 1, botsPercent: 30, delivered: 1, starved: starved, lost: lost, disordered: 0, gone: 0,
      sampled: 28_000, altered: 0, joinP50: 12, joinP99: 30, delayP50: 15, delayP99: 25, kilobytesPerViewer: 20,
      residentMegabytes: 60)
  }

  private func object(_ series: Series<ViewersResult>) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(series.json().utf8)) as? [String: Any])
  }

  @Test("one measurement is a JSON object with the names that scripts rely on")
  func one() throws {
    let object = try object(Series([result(.roomserver, cpu: 0.05)]))
    #expect(object["target"] as? String == "roomserver" && object["protocol"] as? String == "rtmp")
    #expect(object["viewers"] as? Int == 1000 && object["lost_messages"] as? Int == 0)
    #expect(object["cpu_percent_per_viewer"] as? Double == 0.05 && object["starved_viewers"] as? Int == 0)
    #expect(object["join_ms_p50"] as? Double == 12 && object["delay_ms_p99"] as? Double == 25)
    #expect(object["kb_per_viewer"] as? Double == 20 && object["delivered"] as? Double == 1)
  }

  @Test("several are a series with the median of each target and the ratio of their CPU")
  func series() throws {
    let series = Series([
      result(.roomserver, cpu: 0.04), result(.nginx, cpu: 0.08), result(.roomserver, cpu: 0.09), result(.nginx, cpu: 0.1),
      result(.roomserver, cpu: 0.02), result(.nginx, cpu: 0.06),
    ])
    let object = try object(series)
    #expect((object["runs"] as? [Any])?.count == 6)
    #expect((object["medians"] as? [[String: Any]])?.map { $0["cpu_percent_per_viewer"] as? Double } == [0.04, 0.08])
    let ratio = try #require((object["cpu_ratios"] as? [[String: Any]])?.first)
    #expect(ratio["to"] as? String == "nginx" && ratio["ratio"] as? Double == 0.5)
    let table = series.text
    #expect(table.contains("| 3 | nginx | 71875 | 0.0600 |"))
    #expect(table.contains("roomserver : nginx = 0.500"))
    let svg = BarChart.svg(series.panels)
    #expect(svg.components(separatedBy: "<rect").count == 9 && svg.contains("0.0400 %"))
  }

  @Test("a run with losses is invalid, and the table lists them")
  func unsound() {
    #expect(result(.nginx, cpu: nil).isValid)
    #expect(!result(.nginx, cpu: nil, lost: 1).isValid && !result(.nginx, cpu: nil, starved: 2).isValid)
    let table = Series([result(.nginx, cpu: nil, lost: 7, starved: 2)]).text
    #expect(table.contains("| 7, 2 viewers starved |") && table.contains("| – |"))
  }

  @Test("a viewer's losses are derived from the timestamps around them")
  func losses() throws {
    let settings = LiveClip.Settings(width: 320, height: 180, kbps: 150, seconds: 8)
    let clip = try ClipEncoder.clip(settings)
    #expect(clip.frames.count == 200 + 375 && clip.duration == 8000 && clip.headers.count >= 3)
    #expect(zip(clip.frames, clip.frames.dropFirst()).allSatisfy { $0.time <= $1.time })
    // Across the end of a loop: two seconds of pictures from 6.96 s on.
    #expect(clip.count(.video, upTo: 8960) - clip.count(.video, upTo: 6960) == 50)
    #expect(clip.count(.audio, upTo: 16_000) - clip.count(.audio, upTo: 8000) == 375)
    #expect(clip.message(575).timestamp == 8000)

    var start = ViewersCount(sent: .init())
    start.viewers = [ViewerReception()]
    start.viewers[0].video.count(6960)
    var end = start
    end.sent.payload = 1000
    for number in 0..<50 where number != 7 && number != 8 { end.viewers[0].video.count(7000 + UInt32(number) * 40) }
    #expect(end.lost(since: start, of: clip) == 2 && end.disordered == 0)
    #expect(end.starved(since: start, below: 0.95) == 1)
    end.viewers[0].payload = 960
    #expect(end.starved(since: start, below: 0.95) == 0)
  }
}
