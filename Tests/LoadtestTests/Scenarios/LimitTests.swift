import Testing

@testable import RoomLoadtest

@Suite("Limits of scenarios")
struct LimitTests {
  private func figures(_ values: [(Figure, String?, [Double])]) -> [FigureReport] {
    values.map { figure, kind, values in
      var series = Recorder.Series(figure: figure, kind: kind)
      for (second, value) in values.enumerated() { series.add(value, second: second) }
      return FigureReport(series)
    }
  }

  @Test("a limit includes its bound, and a broken one reports the measured value")
  func judged() throws {
    let measured = figures([(.audioGap, nil, [0, 10, 60])])
    #expect(try Limit(parsing: "audio_gap_ms max <= 60").judge(measured)?.holds == true)
    let broken = try #require(try Limit(parsing: "audio_gap_ms max <= 59").judge(measured))
    #expect(!broken.holds && broken.sentence == "audio_gap_ms max <= 59: measured 60")
    #expect(try Limit(parsing: "audio_gap_ms count >= 3").judge(measured)?.holds == true)
  }

  @Test("the worst of several kinds counts, unless the limit names one")
  func kinds() throws {
    let measured = figures([(.fps, "rtmp", [15, 15]), (.fps, "flv", [4, 15])])
    #expect(try Limit(parsing: "fps min >= 10").judge(measured)?.value == 4)
    #expect(try Limit(parsing: "fps.rtmp min >= 10").judge(measured)?.holds == true)
  }

  @Test("a missing measurement breaks a limit, except with: if measured")
  func unmeasured() throws {
    let nothing = try #require(try Limit(parsing: "delay_ms p95 <= 9").judge([]))
    #expect(!nothing.holds && nothing.sentence.contains("not measured"))
    #expect(try Limit(parsing: "delay_ms p95 <= 9 if measured").judge([]) == nil)
  }

  @Test("a limit on the command line replaces the one with the same subject")
  func replaced() throws {
    var scenario = try Scenario(name: "a", yaml: "play: churn\nlimits: [join_ms p95 <= 10, failures max <= 0]") {
      name throws(ScenarioError) in throw ScenarioError(name)
    }
    scenario.replace(try Limit(parsing: "join_ms p95 <= 20"))
    #expect(scenario.limits.map(\.text) == ["failures max <= 0", "join_ms p95 <= 20"])
  }
}
