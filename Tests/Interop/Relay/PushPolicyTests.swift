import Foundation
import RoomClient
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("A room's push policy")
  struct PushPolicyTests {
    private func create(_ server: TestServer, _ push: String) async throws {
      let answer = try await server.api("POST", "/v1/rooms", json: #"{"name":"demo","push":\#(push)}"#)
      #expect(answer.status == 201, "\(String(decoding: answer.body, as: UTF8.self))")
    }

    private func streams(_ server: TestServer) async throws -> String {
      String(decoding: try await server.api("GET", "/v1/streams").body, as: UTF8.self)
    }

    @Test("auto: a publisher is live at the room's own URL, and for at most the configured patience after leaving")
    func auto() async throws {
      try await withServer(adjust: { $0.relay.broadcasts.patience = 1_000_000 }) { server in
        try await create(server, #"{"mode":"auto","publishUrl":"rtmp://origin/live/{room}-{user}"}"#)
        let anchor = try await Participant.join(server, as: "anna")
        let jobs = JobLog(anchor.room)
        try await anchor.publish(video: .h264, tone: 440)
        try await eventually("the stream is live") { try await streams(server).contains(#""path":"live/demo-anna""#) }
        try await eventually("the job is reported") {
          jobs.reported.infos.contains { $0.jobId == "auto:anna" && $0.onAir == true }
        }
        await anchor.leave()
        try await eventually("the job is over") {
          String(decoding: try await server.api("GET", "/v1/rooms/demo/jobs").body, as: UTF8.self) == #"{"jobs":[]}"#
        }
      }
    }

    @Test("manual: a call without a URL uses the room's own, and one with a URL is rejected")
    func manual() async throws {
      try await withServer { server in
        try await create(server, #"{"mode":"manual","publishUrl":"rtmp://origin/live/{room}"}"#)
        let anchor = try await Participant.join(server, as: "anna", grants: [.publish, .subscribe, .relay])
        try await anchor.publish(video: nil, tone: 440)
        await #expect(throws: (any Error).self) {
          try await anchor.room.jobs.start(ForwardParams(jobId: "live", publishUrl: "rtmp://origin/live/other"))
        }
        try await anchor.room.jobs.start(ForwardParams(jobId: "live"))
        try await eventually("the stream is live") { try await streams(server).contains(#""path":"live/demo""#) }
        try await anchor.room.jobs.stop("live")
        await anchor.leave()
      }
    }

    @Test(
      "an invalid policy is rejected with a message",
      arguments: [
        #"{"mode":"auto"}"#, #"{"mode":"manual","publishUrl":"rtmp://cdn/live/one"}"#,
        #"{"mode":"own","publishUrl":"rtmp://cdn/live/{room}"}"#, #"{"mode":"sometimes"}"#,
      ])
    func refused(push: String) async throws {
      try await withServer { server in
        let answer = try await server.api("POST", "/v1/rooms", json: #"{"name":"demo","push":\#(push)}"#)
        #expect(answer.status == 400)
        #expect(String(decoding: answer.body, as: UTF8.self).contains("push"))
      }
    }

    @Test("the maximum number of jobs of a room all send the same camera")
    func many() async throws {
      try await withServer { server in
        let anchor = try await Participant.join(server, as: "anna", grants: [.publish, .subscribe, .relay])
        try await anchor.publish(video: .h264, tone: nil)
        for number in 0..<16 {
          try await anchor.room.jobs.start(
            ForwardParams(jobId: "\(number)", publishUrl: "rtmp://origin/s\(number)/demo", kinds: [.video]))
        }
        await #expect(throws: (any Error).self) {
          try await anchor.room.jobs.start(ForwardParams(jobId: "more", publishUrl: "rtmp://origin/more/demo"))
        }
        let jobs = JobLog(anchor.room)
        try await eventually("every job sends pictures") {
          Set(jobs.reported.statuses.filter { $0.fps > 5 }.map(\.jobId)).count == 16
        }
        await anchor.leave()
      }
    }

    @Test("without a policy a job requires a URL")
    func own() async throws {
      try await withServer { server in
        let anchor = try await Participant.join(server, as: "anna", grants: [.publish, .relay])
        try await anchor.publish(video: nil, tone: 440)
        await #expect(throws: (any Error).self) { try await anchor.room.jobs.start(ForwardParams(jobId: "live")) }
        await anchor.leave()
      }
    }
  }
}
