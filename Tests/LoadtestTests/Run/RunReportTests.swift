import ArgumentParser
import Foundation
import Testing

@testable import RoomLoadtest

@Suite("The report of loadtest run")
struct RunReportTests {
  private func report(
    gap: [Double], limit: String = "audio_gap_ms max <= 60", name: String = "voice-room", listeners: Double = 100,
    aborted: String? = nil
  ) throws -> RunReport {
    let scenario = try Scenario(
      name: name, yaml: "play: voice-room\nabout: a & b <c>\nparameters: {listeners: \(Int(listeners))}\nlimits: [\(limit)]"
    ) { name throws(ScenarioError) in throw ScenarioError(name) }
    let recorder = Recorder()
    for value in gap { recorder.record(.audioGap, value) }
    recorder.record(.serverCPU, 12.5)
    recorder.record(.firstMedia, 80, of: "room")
    recorder.phase("listeners join")
    return RunReport(
      scenario, recorder, server: "started", startedAt: Date(timeIntervalSince1970: 1_790_000_000), aborted: aborted)
  }

  @Test("figures are summarised, and the report survives a JSON round trip")
  func json() throws {
    let report = try report(gap: (1...100).map(Double.init))
    let gap = try #require(report.figures.first { $0.key == "audio_gap_ms" })
    #expect(gap.count == 100 && gap.min == 1 && gap.max == 100 && gap.p50 == 50 && gap.p95 == 95 && gap.mean == 50.5)
    #expect(report.figures.contains { $0.key == "first_frame_ms.room" })
    #expect(report.figures.first { $0.key == "failures" }?.max == 0)
    #expect(!report.isGood && report.errors == ["audio_gap_ms max <= 60: measured 100"])
    #expect(try RunReport(json: try report.json, name: "r") == report)
  }

  @Test("an invalid report is rejected with a message", arguments: ["", "{}", "{\"version\": 99}", "{\"version\": 1}"])
  func refused(text: String) {
    let error = #expect(throws: ScenarioError.self) { try RunReport(json: Data(text.utf8), name: "x.json") }
    #expect(error?.description.contains("x.json") == true)
  }

  @Test("beyond the sample size, count, bounds and mean stay exact and the median approximate")
  func bounded() throws {
    var series = Recorder.Series(figure: .join, kind: nil)
    for value in 1...(3 * Recorder.kept) { series.add(Double(value), second: value / 1000) }
    let report = FigureReport(series)
    #expect(series.values.count == Recorder.kept)
    #expect(report.count == 3 * Recorder.kept && report.min == 1 && report.max == Double(3 * Recorder.kept))
    #expect(abs(report.p50 / Double(3 * Recorder.kept) - 0.5) < 0.03)
  }

  @Test("the page is self-contained: verdict, limits, charts, and no external resources")
  func page() throws {
    let good = ReportPage.html(try report(gap: [1, 2, 3]))
    #expect(good.contains("met all limits") && good.contains("a &amp; b &lt;c&gt;"))
    #expect(good.contains("<svg") && good.contains("Server's CPU") && good.contains("listeners join"))
    #expect(good.contains("prefers-color-scheme: dark"))
    for word in ["http://", "https://", "<script", "src=", "@import", "url("] { #expect(!good.contains(word)) }
    let bad = ReportPage.html(try report(gap: [100]))
    #expect(bad.contains("1 broken") && bad.contains("audio_gap_ms max &lt;= 60"))
    #expect(!bad.contains("nan") && !bad.contains("inf\""))
  }

  @Test("an aborted run reports the reason, and only limits that were measured")
  func aborted() throws {
    let early = try report(gap: [], aborted: "no server <there>")
    #expect(!early.isGood && early.errors == ["the run was aborted: no server <there>"])
    #expect(RunTable.summary(early).contains("voice-room took 0:00 and was aborted: no server <there>"))
    #expect(!RunTable.summary(early).contains("BROKEN"))
    let page = ReportPage.html(early)
    #expect(page.contains("aborted</span>") && page.contains("no server &lt;there&gt;") && page.contains("not measured"))
    let late = try report(gap: [100], aborted: "gone")
    #expect(late.errors == ["the run was aborted: gone", "audio_gap_ms max <= 60: measured 100"])
    #expect(RunTable.summary(late).contains("BROKEN audio_gap_ms max <= 60"))
  }

  @Test("two runs are compared figure by figure, and their differences are listed")
  func compared() throws {
    let (before, after) = (try report(gap: [10, 20, 40]), try report(gap: [10, 30, 80], listeners: 50))
    let text = Comparison(before, after).text
    #expect(text.contains("Different listeners: 100 and 50."))
    #expect(text.contains("| audio_gap_ms | p50 | 20 | 30 | +50 % |"))
    #expect(text.contains("| server_cpu_percent | max | 12.5 | 12.5 | = |"))
    #expect(text.contains("Broken now: audio_gap_ms max <= 60: measured 80."))
    #expect(Comparison(before, before).differences.isEmpty)
    #expect(Comparison(before, try report(gap: [1], name: "other")).differences == ["scenario: voice-room and other"])
  }

  @Test("the command line names a scenario and sets parameters and limits")
  func words() throws {
    let run = try #require(
      try Loadtest.parseAsRoot([
        "run", "voice-room", "--listeners", "5", "--minutes=0.1", "--start", "--limit", "failures max <= 3",
      ])
        as? Run)
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../loadtest/scenarios")
    let scenario = try run.scenario(ScenarioFiles(folder: folder.standardizedFileURL))
    #expect(run.own.start && scenario.values.count(VoiceRoom.listeners) == 5 && scenario.values[.minutes] == 0.1)
    #expect(scenario.limits.contains { $0.text == "failures max <= 3" })
    #expect(try RunArguments(["--a", "1", "name", "--b=-2"]) == RunArguments(["name", "--b", "-2", "--a", "1"]))
    for wrong in [["a", "b"], ["a", "--listeners"], ["a", "--listeners", "many"]] {
      #expect(throws: ScenarioError.self) { try RunArguments(wrong) }
    }
  }
}
