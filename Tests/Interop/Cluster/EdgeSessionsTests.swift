import Foundation
import FoundationNetworking
import RoomClient
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  /// Servers of a cluster in processes, each an edge of the rooms of the others.
  @Suite("WHIP and WHEP at nodes that do not own the room", .enabled(if: RedisServer.isInstalled))
  struct EdgeSessionsTests {
    @Test(
      "a publisher's and a viewer's media is at the node that each reaches; a session ends at any node, and the edge with the last",
      .timeLimit(.minutes(2)))
    func sessions() async throws {
      let redis = try await RedisServer()
      let cluster = try await ClusterProcesses(3, on: "redis://127.0.0.1:\(redis.port)", ["--workers", "1"])
      #expect(try await cluster.servers[0].api("POST", "/v1/rooms", json: #"{"name":"demo"}"#).status == 201)
      let owner = try #require(try await cluster.owner(of: "demo"))
      let edges = cluster.others(than: owner)
      let swift = try await Participant.join(owner, room: "demo", as: "swift")
      let own = try await owner.metric("roomserver_transports")

      let publisher = try HTTPPeer.aiortc(
        "publish", "http://127.0.0.1:\(edges[0].port)/whip/demo", try edges[0].token(user: "camera", grants: .publish),
        "--video", "vp8", "--audio", "440")
      try await eventually("the publisher is in the room", within: .seconds(60)) {
        swift.room.participants.map(\.userId) == ["camera"]
      }
      let player = try HTTPPeer.aiortc(
        "play", "http://127.0.0.1:\(edges[1].port)/whep/demo/camera", try edges[1].token(user: "wall", grants: .subscribe))
      try await player.decodes("video and audio") { seen in
        (seen.frames ?? 0) >= 45 && (seen.changes ?? 0) >= 30 && seen.size == [320, 180] && (seen.energy ?? 0) > 0.05
          && abs((seen.frequency ?? 0) - 440) < 15
      }
      try await eventually("the owner's client hears it") { swift.sound(of: "camera").hears(440) }
      for edge in edges {
        #expect(try await edge.metric("roomserver_transports") == 1)
        #expect(try await edge.metric("roomserver_edge_rooms") == 1)
      }
      let wall = try #require(cluster.servers.firstIndex { $0 === edges[1] })
      let viewers = "roomserver_node_viewers{node=\"n\(wall)\",region=\"\"}"
      #expect(try await owner.metric(viewers) == 1)
      // The participant's transport for what it receives has begun meanwhile.
      #expect(try await owner.metric("roomserver_transports") <= own + 1)

      // The owner refuses, and the edge passes its answer on; a browser may read it.
      var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(edges[1].port)/whep/demo/camera")))
      request.httpMethod = "POST"
      request.setValue("application/sdp", forHTTPHeaderField: "Content-Type")
      request.setValue("Bearer none", forHTTPHeaderField: "Authorization")
      let refusal = try #require(try await URLSession.shared.upload(for: request, from: Data("v=0".utf8)).1 as? HTTPURLResponse)
      #expect(refusal.statusCode == 401 && refusal.value(forHTTPHeaderField: "Access-Control-Allow-Origin") == "*")
      #expect(try await player.end() == 200)
      try await eventually("the viewer counts no more", within: .seconds(2)) { try await owner.metric(viewers) <= 0 }
      #expect(try await publisher.end() == 200)
      try await eventually("the publisher has left") { swift.room.participants.isEmpty }
      for edge in edges {
        try await eventually("the edge has ended") {
          let transports = try await edge.metric("roomserver_transports")
          return try await (transports, edge.metric("roomserver_edge_rooms")) == (0, 0)
        }
      }
      await swift.leave()
    }
  }
}
