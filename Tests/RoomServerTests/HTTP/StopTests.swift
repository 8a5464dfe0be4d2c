import Foundation
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomServer

@Suite("Stopping a server during requests")
struct StopTests {
  @Test(
    "repeated requests for metrics, rooms and jobs do not delay the stop", .timeLimit(.minutes(1)),
    arguments: 0..<3)
  func asked(_: Int) async throws {
    let server = try await TestServer.start()
    let host = try await server.join("host", grants: [.publish, .subscribe, .admin, .relay], autoSubscribe: false)
    _ = try await host.publish(.opus, .vp8)
    for number in 0..<4 {
      _ = try await host.call(
        .startMerge(
          MergeParams(
            jobId: "mix\(number)", publishUrl: "rtmp://origin/mix\(number)/room", width: 160, height: 90, fps: 5 + number,
            preset: .ultrafast, layouts: [TrackLayout(userId: "host", x: 0, y: 0, width: 160, height: 90)])), JobInfo.self)
    }
    let asking = ["/metrics", "/v1/rooms/room/jobs", "/v1/server", "/metrics"].map { path in
      Task { while !Task.isCancelled, (try? await server.api("GET", path)) != nil {} }
    }
    try await eventually("they are answered") { try await server.metric("roomserver_mixes") == 4 }
    await server.server.stop()
    for task in asking {
      task.cancel()
      await task.value
    }
  }

  @Test("the drain of an empty server, which ends at once, is answered", .timeLimit(.minutes(1)))
  func drained() async throws {
    for _ in 0..<20 {
      let server = try await TestServer.start()
      let end = Task {
        await server.server.drained()
        await server.server.stop()
      }
      #expect(try await server.api("POST", "/v1/server/drain", json: #"{"seconds":600}"#).status == 202)
      await end.value
    }
  }
}
