import Foundation
import RoomProtocol
import Testing

@Suite("Enumerations that may grow")
struct OpenEnumerationTests {
  @Test("a job of a newer server is decoded with its unknown values, and encoded as it was") func keepsUnknown() throws {
    let text = #"{"failure":{"cause":"blocked","message":"m"},"jobId":"j","kind":"copy","state":"paused"}"#
    let job = try JSONDecoder().decode(JobInfo.self, from: Data(text.utf8))
    #expect(job.kind != .forward && job.kind != .merge && job.kind.rawValue == "copy")
    #expect(job.state == JobState(rawValue: "paused") && "\(job.state)" == "paused")
    #expect(job.failure?.cause.rawValue == "blocked")
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(job), as: UTF8.self) == text)
  }

  @Test("known values are the static members") func known() throws {
    let text = #"{"jobId":"j","kind":"merge","state":"autoReconnecting","failure":{"cause":"tls","message":"m"}}"#
    let job = try JSONDecoder().decode(JobInfo.self, from: Data(text.utf8))
    #expect(job.kind == .merge && job.state == .autoReconnecting && job.failure?.cause == .tls)
    let track = try JSONDecoder().decode(
      TrackInfo.self, from: Data(#"{"trackId":"t","kind":"video","tag":"","master":true,"muted":false,"codec":"vp8"}"#.utf8))
    #expect(track.codec == .vp8)
  }

  @Test("a value that is not text is invalid") func notText() {
    let text = #"{"jobId":"j","kind":1,"state":"connected"}"#
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(JobInfo.self, from: Data(text.utf8)) }
  }

  @Test("the server refuses a preset and a fill mode that it does not know") func validation() {
    var params = MergeParams(
      jobId: "m", publishUrl: "rtmp://host/live/a", width: 640, height: 360, preset: .medium,
      layouts: [TrackLayout(userId: "ann", x: 0, y: 0, width: 640, height: 360, fillMode: .stretch)])
    #expect(params.validationError == nil)
    params.preset = EncoderPreset(rawValue: "placebo")
    #expect(params.validationError?.hasPrefix("preset: one of ultrafast, superfast, ") == true)
    params.preset = nil
    params.layouts[0].fillMode = LayoutFillMode(rawValue: "cover")
    #expect(params.validationError == "layouts[0].fillMode: fill, fit or stretch")
  }
}
