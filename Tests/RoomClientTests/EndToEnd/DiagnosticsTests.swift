import Foundation
import Logging
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

@testable import RoomClient

@Suite("Diagnostics", .serialized, .timeLimit(.minutes(1)))
struct DiagnosticsTests {
  @Test("a report of a live room has its state, events, statistics, log and network, and no secret") func report() async throws
  {
    try await onStage { stage in
      let log = DiagnosticsLog(capacity: 3)
      var logger = Logger(label: "app") { log.handler(label: $0) }
      logger[metadataKey: "room"] = "hall"
      let ada = try await stage.host("ada")
      let diagnostics = Diagnostics(ada, log: log)
      let bob = try await stage.join("bob")
      let token = try stage.token("bob")
      for number in 0..<4 { logger.info("line \(number) with \(token) of wss://ann:pw@host/path?wsSecret=abc") }
      let microphone = LocalAudioTrack()
      try await bob.publish([microphone])
      try await bob.messages.send("between us")
      await ada.setStatisticsInterval(.milliseconds(50))
      try await eventually("bob's track and statistics are recorded") {
        let report = try await diagnostics.report()
        return report.events.contains { $0.event.hasPrefix("published bob") } && report.statistics.count > 2
      }
      let report = try await diagnostics.report(checking: stage.url)
      #expect(report.room.room == "hall" && report.room.user == "ada" && report.room.state == "connected")
      #expect(report.events.contains { $0.event == "joined bob" })
      #expect(report.statistics.last?.transports.isEmpty == false)
      #expect(report.network?.passed == true && report.network?.steps.map(\.step) == ["name", "tcp", "webSocket"])
      #expect(report.log.count == 3 && report.log[0].contains("line 1") && report.log[0].contains("room=hall"))
      let json = String(decoding: try report.json(), as: UTF8.self)
      for secret in [token, "wsSecret", "ann:pw", "between us"] { #expect(!json.contains(secret), "\(secret)") }
      await bob.leave()
      await ada.leave()
    }
  }

  @Test("a network check names the step that fails, in bounded time") func check() async throws {
    let unknown = try await NetworkCheck.run("ws://no-such-host.invalid/v1/signal", timeout: .seconds(1))
    #expect(unknown.steps.map(\.step) == ["name"] && unknown.steps[0].failure != nil && !unknown.passed)
    let refused = try await NetworkCheck.run("ws://127.0.0.1:1/v1/signal", timeout: .seconds(1))
    #expect(refused.steps.map(\.step) == ["name", "tcp"])
    #expect(refused.steps.last?.failure?.contains("nothing listens") == true, "\(refused)")
    try await onStage { stage in
      let wrongPath = try await NetworkCheck.run(stage.url.replacing("/v1/signal", with: "/other"), timeout: .seconds(5))
      #expect(wrongPath.steps.last?.failure?.contains("404") == true, "\(wrongPath)")
    }
    await #expect(throws: RoomClientError.self) { try await NetworkCheck.run("http://host/") }
  }
}
