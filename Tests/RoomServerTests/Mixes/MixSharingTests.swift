import Foundation
import RoomRTMP
import RoomProtocol
import RoomTestSupport
import Testing

/// Mixes at this server's own origin. None of the participants in them is connected, which costs the least.
@Suite("Mixes share the machine's cores")
struct MixSharingTests {
  private func params(_ job: JobID, stream: String, width: Int = 64, x: Int = 0, port: UInt16) -> MergeParams {
    MergeParams(
      jobId: job, publishUrl: "rtmp://127.0.0.1:\(port)/\(stream)/room", width: width, height: 48, fps: 10, preset: .ultrafast,
      layouts: [TrackLayout(userId: "nobody", x: x, y: 0, width: 32, height: 48)])
  }

  private func broadcasts(_ server: TestServer) async throws -> Int {
    try await server.metric(#"roomserver_broadcasts{state="connected"}"#)
  }

  @Test("a job that exceeds the limit of cores is rejected with figures, and counted; one that fits is accepted")
  func admission() async throws {
    try await TestServer.with({ $0.relay.mixCores = 0.05 }) { server in
      let alice = try await server.join("alice", grants: [.publish, .subscribe, .relay])
      let layouts = [TrackLayout(userId: "alice", x: 0, y: 0, width: 1280, height: 720)]
      let large = MergeParams(
        jobId: "large", publishUrl: "rtmp://origin/live/room", width: 1280, height: 720, fps: 30, layouts: layouts)
      let error = try #require(try await alice.error(of: .startMerge(large)))
      #expect(error.code == .publishFailed)
      #expect(
        error.message == "the mix needs about 0.15 cores; 0.00 of 0.05 cores are in use", "\(error.message)")
      #expect(try await server.metric("roomserver_mix_refused_total") == 1)
      #expect(try await server.metric("roomserver_mixes") == 0)
      #expect(try await server.metric("roomserver_jobs") == 0)
      #expect(try await broadcasts(server) == 0)

      let sound = MergeParams(jobId: "sound", publishUrl: "rtmp://origin/live/room", layouts: [TrackLayout(userId: "alice")])
      let job = try await alice.call(.startMerge(sound), JobInfo.self)
      #expect(job.missing == ["alice"])
      try await eventually("the small one is running") { try await server.metric("roomserver_mixes") == 1 }
      #expect(try await server.metric("roomserver_mix_refused_total") == 1)
    }
  }

  @Test("two jobs with the same composition share one mix; with different layouts they are two, and both send continuously")
  func sharing() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice", grants: [.publish, .subscribe, .relay])
      let port = try #require(server.server.rtmpPort)
      _ = try await alice.call(.startMerge(params("a", stream: "a", port: port)), JobInfo.self)
      _ = try await alice.call(.startMerge(params("b", stream: "b", port: port)), JobInfo.self)
      let viewers = [
        try await RTMPPeer.start(.play, server, "room", app: "a"),
        try await RTMPPeer.start(.play, server, "room", app: "b"),
      ]
      /// Every stream delivers another key frame and audio.
      func goOn(_ what: String) async throws {
        for (index, viewer) in viewers.enumerated() {
          let heard = viewer.played.count
          try await eventually("\(what): stream \(index)", within: .seconds(20)) {
            let more = viewer.played.dropFirst(heard)
            return more.contains(where: LiveSample.isKeyFrame) && more.contains { $0.kind == .audio }
          }
        }
      }
      try await goOn("as one")
      #expect(try await server.metric("roomserver_mixes") == 1)
      #expect(try await broadcasts(server) == 2)

      _ = try await alice.call(
        .setLayouts(LayoutsParams(jobId: "b", layouts: params("b", stream: "b", x: 32, port: port).layouts)))
      try await eventually("there are two mixes") { try await server.metric("roomserver_mixes") == 2 }
      try await goOn("as two")
      #expect(try await broadcasts(server) == 2)
      for viewer in viewers {
        #expect(!viewer.hasEnded && !viewer.isClosed)
        for kind in [MediaMessage.Kind.video, .audio] {
          let times = viewer.played.filter { $0.kind == kind }.map(\.timestamp)
          #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }, "\(kind)")
        }
      }
      _ = try await alice.call(.stopJob(JobParams(jobId: "a")))
      _ = try await alice.call(.stopJob(JobParams(jobId: "b")))
      try await eventually("no mix is left") { try await server.metric("roomserver_mixes") == 0 }
    }
  }

  @Test("a job that starts just as the last one with its composition ends is sent")
  func succession() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice", grants: [.publish, .subscribe, .relay])
      let port = try #require(server.server.rtmpPort)
      _ = try await alice.call(.startMerge(params("job0", stream: "s0", port: port)), JobInfo.self)
      for round in 1...8 {
        let viewer = try await RTMPPeer.start(.play, server, "room", app: "s\(round - 1)")
        try await eventually("round \(round) goes out", within: .seconds(20)) {
          viewer.played.contains(where: LiveSample.isKeyFrame)
        }
        // Both at once: while one ends, the other starts.
        let calls: [SignalCall] = [
          .stopJob(JobParams(jobId: "job\(round - 1)")), .startMerge(params("job\(round)", stream: "s\(round)", port: port)),
        ]
        for call in calls {
          alice.send(String(decoding: try JSONEncoder().encode(SignalRequest(id: 1000, call: call)), as: UTF8.self))
        }
        _ = try await alice.event("job \(round)") { event in
          if case .jobChanged(let info) = event, info.jobId == "job\(round)" { true } else { nil }
        }
      }
    }
  }
}
