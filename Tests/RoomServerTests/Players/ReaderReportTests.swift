import RoomFuzzSupport
import RoomMediaReader
import RoomRTMP
import Testing

@Suite("The messages of a reader process") struct ReaderReportTests {
  @Test("reports and commands are read as they were written") func roundTrip() {
    let reports: [ReaderReport] = [
      .opened(hasVideo: true, hasAudio: false, duration: 12.5, isSeekable: true),
      .opened(hasVideo: true, hasAudio: true, duration: nil, isSeekable: false), .moved(3, position: 4.25), .ended,
      .failed("no such host"),
    ]
    for report in reports { #expect(ReaderReport(report.message) == report) }
    let plan = ReaderPlan(.url("https://media.example/a.mp4"), networks: ["public"], start: 3)
    #expect(ReaderPlan(line: String(decoding: plan.line.dropLast(), as: UTF8.self)) == plan)
    let command = ReaderCommand.seek(7, seconds: 1.5)
    #expect(ReaderCommand(line: String(decoding: command.line.dropLast(), as: UTF8.self)) == command)
  }

  @Test("what is no report, and numbers out of range, are refused") func refuses() {
    var payload: [UInt8] = []
    payload.appendAMF0(.string("onMetaData"), .object([:]))
    #expect(ReaderReport(MediaMessage(.data, timestamp: 0, payload: payload)) == nil)
    #expect(ReaderReport(MediaMessage(.video, timestamp: 0, payload: ReaderReport.ended.message.payload)) == nil)
    #expect(ReaderReport(ReaderReport.moved(1, position: .infinity).message) == nil)
    #expect(ReaderReport(ReaderReport.moved(1, position: -1).message) == nil)
    #expect(ReaderCommand(line: "seek 1 nan") == nil)
    #expect(ReaderCommand(line: "seek 1") == nil)
    #expect(ReaderPlan(line: "{}") == nil)
  }
}
