import Foundation
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomServer

@Suite("An audience at the nodes of a cluster", .serialized, .enabled(if: RedisServer.isInstalled))
struct ClusterEdgesTests {
  private struct Detail: Decodable {
    struct Audience: Decodable {
      struct Node: Decodable {
        var node: String
        var region: String
        var viewers: Int
      }
      struct Region: Decodable {
        var region: String
        var viewers: Int
      }
      var nodes: [Node]
      var regions: [Region]
    }
    var viewers: Int
    var audience: Audience

    var byNode: [String: Int] { Dictionary(uniqueKeysWithValues: audience.nodes.map { ($0.node, $0.viewers) }) }
    var byRegion: [String: Int] { Dictionary(uniqueKeysWithValues: audience.regions.map { ($0.region, $0.viewers) }) }
  }

  private struct Nodes: Decodable {
    struct Node: Decodable {
      var node: String
      var participants: Int
      var viewers: Int
    }
    var nodes: [Node]
    var unanswered: [String]

    var viewers: [Int] { nodes.map(\.viewers) }
  }

  /// What is promised of counts, and of changes that reach edges.
  private static let countTime = Duration.seconds(2)
  private static let changeTime = Duration.milliseconds(500)

  @Test(
    "the audience is counted by node and region; a kick, permissions and the end of a room reach edges in time, and a kicked token is refused everywhere"
  )
  func audience() async throws {
    var number = 0
    try await ClusterServers.with(
      3,
      {
        $0.cluster?.isEdge = true
        $0.cluster?.region = number == 0 ? "eu" : "us"
        number += 1
      }
    ) { cluster in
      let api = cluster[1]
      #expect(try await cluster[0].api("POST", "/v1/rooms", json: #"{"name":"show"}"#).status == 201)
      let owner = try #require(try await cluster.owner(of: "show"))
      let edges = (0..<3).filter { $0 != owner }
      let region = { (node: Int) in node == 0 ? "eu" : "us" }
      var viewers: [SignalClient] = []
      for (node, count) in [(owner, 1), (edges[0], 2), (edges[1], 1)] {
        for index in 0..<count {
          let viewer = try await cluster[node].join(UserID("viewer\(node)\(index)"), room: "show", grants: [.subscribe])
          viewers.append(viewer)
        }
      }
      let whep = try await cluster[edges[1]].post(
        "/whep/show", try cluster[0].token("wall", room: "show", grants: [.subscribe]), HTTPOffer.view(.opus))
      #expect(whep.status == 201)
      var expected = ["n\(owner)": 1, "n\(edges[0])": 2, "n\(edges[1])": 2]
      try await counts(cluster, expected)
      let detail: Detail = try await api.api("GET", "/v1/rooms/show").decoded()
      #expect(detail.byRegion.values.reduce(0, +) == 5)
      #expect(detail.byRegion[region(0)] == expected["n0"])
      #expect(try await cluster[owner].metric(#"roomserver_room_viewers{room="show"}"#) == 5)
      for node in 0..<3 {
        let name = "roomserver_node_viewers{node=\"n\(node)\",region=\"\(region(node))\"}"
        #expect(try await cluster[owner].metric(name) == expected["n\(node)"])
      }
      for viewer in [viewers[1], viewers[3]] { _ = try await viewer.call(.leave, Empty.self) }
      for edge in edges { expected["n\(edge)"] = 1 }
      try await counts(cluster, expected)
      try await changes(cluster, owner, edges)
      try await end(cluster, edges, viewers[2])
    }
  }

  private func counts(_ cluster: ClusterServers, _ expected: [String: Int]) async throws {
    for server in cluster.servers {
      try await eventually("the counts are \(expected)", within: Self.countTime) {
        let detail: Detail = try await server.api("GET", "/v1/rooms/show").decoded()
        return detail.byNode == expected && detail.viewers == expected.values.reduce(0, +)
      }
      let nodes: Nodes = try await server.api("GET", "/v1/nodes").decoded()
      #expect(nodes.viewers == expected.sorted { $0.key < $1.key }.map(\.value) && nodes.unanswered.isEmpty)
    }
  }

  private func changes(_ cluster: ClusterServers, _ owner: Int, _ edges: [Int]) async throws {
    let (edge, other) = (cluster[edges[0]], cluster[edges[1]])
    let token = try edge.token("eve", room: "show")
    let eve = try await edge.connect()
    try await eve.join(token)
    var begin = ContinuousClock.now
    #expect(
      try await other.api("PUT", "/v1/rooms/show/participants/eve/permissions", json: #"{"grants":["subscribe"]}"#).status
        == 200)
    _ = try await eve.event("her permissions") { if case .permissionsChanged(let data) = $0 { data } else { nil } }
    let permitted = ContinuousClock.now - begin
    begin = .now
    #expect(try await other.api("DELETE", "/v1/rooms/show/participants/eve").status == 204)
    let ended = try await eve.event("the kick") { if case .ended(let data) = $0 { data } else { nil } }
    let kicked = ContinuousClock.now - begin
    print("at an edge after \(permitted) permissions, after \(kicked) a kick")
    #expect(ended.reason == .kickedOut && permitted < Self.changeTime && kicked < Self.changeTime)
    for server in cluster.servers {
      // A node reads the kicks of others with each renewal of its lease.
      try await eventually("the token is refused", within: .seconds(2)) {
        try await server.connect().error(of: .join(JoinParams(token: token)))?.code == .tokenInvalid
      }
      #expect(try await server.post("/whep/show", token, HTTPOffer.view(.opus)).status == 401)
    }
  }

  private func end(_ cluster: ClusterServers, _ edges: [Int], _ viewer: SignalClient) async throws {
    let begin = ContinuousClock.now
    #expect(try await cluster[edges[1]].api("DELETE", "/v1/rooms/show").status == 204)
    let ended = try await viewer.event("the end") { if case .ended(let data) = $0 { data } else { nil } }
    #expect(ended.reason == .roomClosed && ContinuousClock.now - begin < Self.changeTime)
  }
}
