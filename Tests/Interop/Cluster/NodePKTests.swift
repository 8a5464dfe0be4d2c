import Foundation
import RoomClient
import RoomCluster
import RoomCodecs
import RoomPeers
import RoomProtocol
import RoomRedis
import RoomServer
import RoomTestSupport
import Testing

extension RealMedia {
  /// A PK of two rooms that different nodes own.
  @Suite("PK of rooms at two nodes", .enabled(if: RedisServer.isInstalled))
  struct NodePKTests {
    private static func node(_ number: Int, _ redis: RedisServer) -> (inout ServerConfiguration) throws -> Void {
      { configuration in
        try Anchors.settings(.separate)(&configuration)
        configuration.cluster = ClusterSettings(store: try RedisURL("redis://127.0.0.1:\(redis.port)"))
        configuration.cluster?.node = NodeID("n\(number)")
        // A room is made where it is asked for.
        configuration.cluster?.region = "r\(number)"
      }
    }

    @Test(
      "both streams show both anchors during a PK, and one before and after it, without a gap or a reconnect",
      .timeLimit(.minutes(2)))
    func bridge() async throws {
      let redis = try await RedisServer()
      try await withServer(adjust: Self.node(0, redis)) { first in
        try await withServer(adjust: Self.node(1, redis)) { second in try await pk([first, second]) }
      }
    }

    private func pk(_ nodes: [TestServer]) async throws {
      for node in nodes {
        try await eventually("both are members") {
          let (members, ready) = (
            try await node.metric("roomserver_cluster_nodes"), try await node.metric("roomserver_cluster_ready")
          )
          return members == 2 && ready == 1
        }
      }
      try await Anchors.makeRooms(nodes[0], nodes[1])
      for node in nodes { #expect(try await node.metric("roomserver_cluster_leases") == 1) }
      let sources = [try Anchors.source("red"), try Anchors.source("blue")]
      let red = try await Anchors.live(nodes[0], "red", sources[0])
      let blue = try await Anchors.live(nodes[1], "blue", sources[1])
      let viewers = try await Anchors.watch(nodes[0], nodes[1])
      try await Anchors.areSeen(viewers, together: false)
      for round in 0..<2 {
        try await Anchors.meet(red, blue)
        try await Anchors.areSeen(viewers, together: true)
        if round == 0 {
          try await red.pk.setScore(7)
          try await eventually("blue knows the score") { blue.pk.current?.peerScore == 7 }
        }
        try await red.pk.quit()
        try await eventually("the PK has ended for both") { red.pk.current == nil && blue.pk.current == nil }
        try await Anchors.areSeen(viewers, together: false)
      }
      for (name, node) in zip(Anchors.names, nodes) {
        #expect(try await node.api("DELETE", "/v1/rooms/\(name)/jobs/live").status / 100 == 2)
      }
      for (index, name) in Anchors.names.enumerated() {
        let other = Anchors.names[1 - index]
        let both = "\(name)|\(other)"
        try await viewers[index].seen().check(name, [name, both, name, both, name], sources[index])
      }
      for node in nodes {
        #expect(try await node.metric("roomserver_node_links") == 1)
        #expect(try await node.metric("roomserver_node_link_datagrams_sent_total") > 100)
      }
      await red.leave()
      await blue.leave()
    }
  }
}
