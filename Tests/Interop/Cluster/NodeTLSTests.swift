import Foundation
import RoomCluster
import RoomHTTPServer
import RoomPeers
import RoomProtocol
import RoomRedis
import RoomServer
import RoomTestSupport
import Testing

extension RealMedia {
  /// Nodes whose addresses are `https://`, with certificates of an authority of their own.
  @Suite("Nodes that reach one another by TLS", .enabled(if: RedisServer.isInstalled))
  struct NodeTLSTests {
    /// Starts nodes that know the authority, and a last one that does not, and waits until they are members. The second one serves
    /// clients of rooms of the first.
    private func withNodes(_ body: ([TestServer]) async throws -> Void) async throws {
      let redis = try await RedisServer()
      let authority = try await CertificateAuthority()
      func start(_ nodes: [TestServer]) async throws {
        let number = nodes.count
        guard number < 3 else {
          for node in nodes {
            try await eventually("all are members") {
              let (members, ready) = (
                try await node.metric("roomserver_cluster_nodes"), try await node.metric("roomserver_cluster_ready")
              )
              return members == 3 && ready == 1
            }
          }
          return try await body(nodes)
        }
        let (files, port) = (try await authority.issue("n\(number)"), try TCPPort.free())
        let settings = try RedisURL("redis://127.0.0.1:\(redis.port)")
        try await withServer(adjust: { configuration in
          configuration.tls = TLSSettings(certificate: files.certificate, key: files.key)
          configuration.tls?.port = port
          configuration.cluster = ClusterSettings(store: settings)
          configuration.cluster?.node = NodeID("n\(number)")
          // A room is made where it is asked for.
          configuration.cluster?.region = "r\(number)"
          configuration.cluster?.address = "https://127.0.0.1:\(port)"
          configuration.cluster?.authorities = number < 2 ? authority.certificate : nil
          configuration.cluster?.isEdge = number == 1
        }) { try await start(nodes + [$0]) }
      }
      try await start([])
    }

    @Test(
      "requests, a PK and an edge's clients cross; a node that does not know the authority trusts no other",
      .timeLimit(.minutes(2)))
    func crossing() async throws {
      try await withNodes { nodes in
        for (node, room) in zip(nodes, ["red", "blue"]) {
          #expect(try await node.api("POST", "/v1/rooms", json: #"{"name":"\#(room)"}"#).status == 201)
        }
        // The edge passes the signalling of its client on by a WebSocket, and the tracks cross by the link.
        let anchor = try await Participant.join(nodes[0], room: "red", as: "anchor", grants: [.publish, .subscribe, .admin])
        try await anchor.publish(video: .vp8, tone: 440)
        let viewer = try await Participant.join(nodes[1], room: "red", as: "viewer")
        try await eventually("the viewer sees and hears the anchor") {
          viewer.pictures(of: "anchor").decoded > 5 && viewer.sound(of: "anchor").hears(440)
        }
        #expect(try await nodes[1].metric("roomserver_edge_clients") == 1)

        let host = try await Participant.join(nodes[1], room: "blue", as: "host", grants: [.publish, .subscribe, .admin])
        func pk(_ room: String) async throws -> String? {
          let answer = try await nodes[1].api("GET", "/v1/rooms/\(room)/state")
          return try JSONDecoder().decode(RoomSnapshot.self, from: Data(answer.body)).pk?.pkId.rawValue
        }
        let invited = try await nodes[1].api("POST", "/v1/rooms/red/calls/invitePK", json: #"{"room":"blue"}"#)
        #expect(invited.status == 200)
        let id = try await eventually("the invitation") { host.room.snapshot?.pkInvitations.first?.pkId.rawValue }
        let accepted = try await nodes[0].api("POST", "/v1/rooms/blue/calls/acceptPK", json: #"{"pkId":"\#(id)"}"#)
        #expect(accepted.status == 200)
        try await eventually("both rooms are in the PK") {
          let (one, other) = (try await pk("red"), try await pk("blue"))
          return one == id && other == id
        }

        let refused = try await nodes[2].api("GET", "/v1/rooms/red")
        #expect(refused.status == 503, "\(String(decoding: refused.body, as: UTF8.self))")
        #expect(try await nodes[0].api("GET", "/v1/rooms/blue").status == 200)
        for participant in [anchor, viewer, host] { await participant.leave() }
      }
    }
  }
}
