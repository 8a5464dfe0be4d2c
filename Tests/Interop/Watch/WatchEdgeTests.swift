import Foundation
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("The watch page at an edge that ends", .enabled(if: RedisServer.isInstalled))
  struct WatchEdgeTests {
    @Test("by WebRTC the picture continues at another node when the edge is drained, and when the next one is killed")
    func ends() async throws {
      let redis = try await RedisServer()
      let cluster = try await ClusterProcesses(
        3, on: "redis://127.0.0.1:\(redis.port)", ["--workers", "1", "--edge", "--drain", "30"])
      let room = #"{"name":"demo","watch":{"public":true}}"#
      #expect(try await cluster.servers[0].api("POST", "/v1/rooms", json: room).status == 201)
      let owner = try #require(try await cluster.owner(of: "demo"))
      let edges = cluster.others(than: owner)
      let host = try await Participant.join(owner, room: "demo", as: "host")
      try await host.publish(video: .vp8, tone: 440)
      let viewer = try await WatchUser.open("http://127.0.0.1:\(edges[0].port)/watch/demo")
      try await viewer.plays(by: "whep", within: .seconds(60))
      try await viewer.measureStill()

      #expect(try await edges[0].api("POST", "/v1/server/drain", json: #"{"seconds":30}"#).status == 202)
      try await eventually("the edge has ended") { !edges[0].isRunning }
      try await viewer.plays(by: "whep")
      let drained = try await viewer.longestStill()
      print("drained: the picture stood still for \(Int(drained)) ms")
      #expect(drained < 1500)
      #expect(try await edges[1].metric("roomserver_transports") == 1)

      // The page has asked the next node for its own alternatives.
      try await viewer.asksAgain()
      _ = try await viewer.longestStill()
      edges[1].kill()
      try await eventually("the owner has the viewer") {
        try await owner.metric("roomserver_viewers") == 1
      }
      try await viewer.plays(by: "whep")
      let killed = try await viewer.longestStill()
      print("killed: the picture stood still for \(Int(killed)) ms")
      #expect(killed < 5000)
      try await viewer.page.close()
      await host.leave()
    }
  }
}
