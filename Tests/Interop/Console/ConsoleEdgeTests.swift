import RoomChromium
import RoomCluster
import RoomPeers
import RoomProtocol
import RoomRedis
import RoomServer
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("The console at an edge", .enabled(if: RedisServer.isInstalled))
  struct ConsoleEdgeTests {
    @Test("its room continues at another node when the edge is drained, in the same session")
    func drained() async throws {
      let redis = try await RedisServer()
      func node(_ name: NodeID) throws -> ClusterSettings {
        var settings = try ClusterSettings(store: RedisURL("redis://127.0.0.1:\(redis.port)"))
        (settings.node, settings.region, settings.isEdge) = (name, name.text, true)
        return settings
      }
      try await withServer(adjust: { $0.cluster = try node("first") }) { first in
        try await withServer(adjust: { $0.cluster = try node("second") }) { second in
          try await eventually("the room is made") {
            try await first.api("POST", "/v1/rooms", json: #"{"name":"demo"}"#).status == 201
          }
          // Placement prefers the first node, unless that is busy.
          let (owner, edge) = try await first.metric("roomserver_rooms") == 1 ? (first, second) : (second, first)
          let host = try await Participant.join(owner, as: "host")
          try await host.publish(video: .vp8, tone: 440)
          let user = try await ConsoleUser.signIn(
            edge, token: try await edge.token(user: "carol", grants: [.subscribe]), in: .shared())
          try await user.click("[data-action=watch]")
          try await user.watches("host")
          #expect(try await edge.metric("roomserver_edge_clients") == 1)
          let left = Shared(0)
          let events = host.room.events()
          let watching = Task { for await event in events { if case .left = event { left.withLock { $0 += 1 } } } }
          defer { watching.cancel() }

          #expect(try await edge.api("POST", "/v1/server/drain", json: #"{"seconds":30}"#).status == 202)
          try await eventually("nothing is left at the edge") {
            let clients = try await edge.metric("roomserver_edge_clients")
            return try await (clients, edge.metric("roomserver_edge_rooms")) == (0, 0)
          }
          try await user.watches("host")
          #expect(left.value == 0 && host.room.participants.map(\.userId) == ["carol"])
          try await user.page.close()
          await host.leave()
        }
      }
    }
  }
}
