import Foundation
import Testing

@testable import roomserver

@Suite("deploy/compose/cluster.yaml")
struct ComposeClusterTests {
  private static let path = "deploy/compose/cluster.yaml"

  @Test("has three nodes with ports of their own, and Redis")
  func nodes() throws {
    let file = try #require(try Manifest.documents(at: Self.path).first)
    let services = try #require(file.object("services"))
    #expect(services.keys == ["node-1", "node-2", "node-3", "redis"])
    var ports: Set<Int> = []
    var volumes: Set<String> = []
    let known = Set(Setting.all.map(\.variable)).union(
      ["CLUSTER", "NODE_ADDRESS", "NODE_ID", "REGION"].map { "ROOMSERVER_\($0)" })
    for name in ["node-1", "node-2", "node-3"] {
      let node = try #require(services.object(name))
      let settings = node.texts("environment")
      #expect(Set(settings.keys).subtracting(known) == [])
      func number(_ name: String) throws -> Int { try #require(settings["ROOMSERVER_\(name)"].flatMap { Int($0) }) }
      #expect(settings["ROOMSERVER_NODE_ID"] == name)
      #expect(settings["ROOMSERVER_NODE_ADDRESS"] == "http://${PUBLIC_ADDRESS:?}:\(try number("PORT"))")
      let media = try number("MEDIA_PORT")
      let used = [try number("PORT"), try number("RTMP_PORT")] + (0..<(try number("WORKERS"))).map { media + $0 }
      #expect(ports.isDisjoint(with: used))
      ports.formUnion(used)
      #expect(node["network_mode"] == "host" && node["depends_on.redis.condition"] == "service_healthy")
      #expect(try number("DRAIN") < 90 && node["stop_grace_period"] == "90s")
      let volume = try #require(node["volumes.0"]?.split(separator: ":").first.map(String.init))
      #expect(volumes.insert(volume).inserted)
    }
    #expect(ports.count == 12)
    let declared = try #require(file.object("volumes")).keys
    #expect(Set(declared) == volumes.union(["redis"]))
    #expect(services["redis.network_mode"] == "host" && services["redis.healthcheck.test.0"] == "CMD")
  }

  @Test("example-cluster.env has every variable that it uses, and no other")
  func variables() throws {
    let asked = try String(contentsOfFile: Self.path, encoding: .utf8).matches(of: #/\$\{(\w+):\?\}/#).map { String($0.1) }
    let named = try String(contentsOfFile: "deploy/compose/example-cluster.env", encoding: .utf8)
      .matches(of: #/(?m)^(\w+)=/#).map { String($0.1) }
    #expect(Set(asked) == Set(named) && asked.count > 3)
  }
}
