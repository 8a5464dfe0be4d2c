import RoomChromium
import RoomCluster
import RoomPeers
import RoomProtocol
import RoomRedis
import RoomServer
import Testing

extension RealMedia {
  @Suite("The console and a cluster", .enabled(if: RedisServer.isInstalled))
  struct ConsoleClusterTests {
    @Test("an operator sees the nodes with their rooms and what is free on them; a server without a cluster shows none")
    func nodes() async throws {
      let redis = try await RedisServer()
      func node(_ name: NodeID) throws -> ClusterSettings {
        var settings = try ClusterSettings(store: RedisURL("redis://127.0.0.1:\(redis.port)"))
        (settings.node, settings.region) = (name, "eu")
        return settings
      }
      try await withServer(adjust: { $0.cluster = try node("first") }) { first in
        try await withServer(adjust: { $0.cluster = try node("second") }) { _ in
          let user = try await ConsoleUser.signIn(first, token: try first.apiToken(), in: .shared())
          try await user.go("server")
          try await user.reads("/2 nodes with 0 rooms. This node owns 0/", in: ".cluster p")
          try await user.reads("/first this node.*eu.*%.*second/", in: ".cluster tbody")
          try await user.reads("/Viewers$/", in: ".cluster thead")
          try await user.reads("/0$/", in: ".cluster tbody")
          try await user.page.close()
        }
      }
      try await withServer { server in
        let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared())
        try await user.go("server")
        try await user.reads("/Accepts new clients/", in: ".drain p")
        #expect(try await user.page.evaluate("document.querySelector('.cluster').hidden") as Bool)
        try await user.page.close()
      }
    }
  }
}
