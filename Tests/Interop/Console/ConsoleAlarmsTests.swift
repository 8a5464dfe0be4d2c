import Foundation
import RoomChromium
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

extension RealMedia {
  /// What is wrong, as operators see it in the console.
  @Suite("Alarms in the console")
  struct ConsoleAlarmsTests {
    /// The badge while an alarm is critical. A busy machine that runs tests may raise warnings as well.
    private static let critical = ".side [data-badge=alarms].bad"
    private static let row = ".alarms > .list [data-alarm=jobFailing]"

    private struct Jobs: Decodable {
      struct Entry: Decodable { var job: JobInfo }
      var jobs: [Entry]
    }

    @Test("a live to an unknown host raises an alarm, in the badge of every view and in the list; stopping the job clears it")
    func unknownHost() async throws {
      try await withServer { server in
        let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared())
        try await user.goLive(as: "hanna", room: "lost", url: "rtmp://no-such-host.invalid/live/x")
        try await user.sees(Self.critical, within: .seconds(90))
        try await user.reads("/[1-9] alarm/", in: Self.critical)
        try await user.go("server")
        try await user.sees(Self.critical)
        try await user.go("overview")
        try await user.reads("/Critical: Live not connected · lost.*no-such-host/", in: Self.row)
        #expect(try await server.metric(#"roomserver_alarms{kind="jobFailing",severity="critical"}"#) == 1)

        let jobs = try await server.api("GET", "/v1/rooms/lost/jobs").body
        for entry in try JSONDecoder().decode(Jobs.self, from: jobs).jobs {
          #expect(try await server.api("DELETE", "/v1/rooms/lost/jobs/\(entry.job.jobId)").status == 204)
        }
        try await user.seesNo(Self.critical)
        try await user.seesNo(Self.row)
        try await user.reads("/Cleared in the last hour: [1-9]/", in: ".alarms summary")
        try await user.reads("/Cleared: Live not connected · lost/", in: ".alarms details [data-alarm=jobFailing]")
        #expect(try await server.metric(#"roomserver_alarms{kind="jobFailing",severity="critical"}"#) == 0)
        try await user.reportsNoErrors()
        try await user.page.close()
      }
    }
  }
}
