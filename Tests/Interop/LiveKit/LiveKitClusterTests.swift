import Foundation
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  /// Servers of a cluster in processes. Each client has a load balancer of its own, which leads it to one of them.
  @Suite(
    "LiveKit's SDKs, unmodified, at any node of a cluster", .enabled(if: LiveKitPeer.isInstalled && RedisServer.isInstalled))
  struct LiveKitClusterTests {
    private struct Client {
      let name: String
      let peer: LiveKitPeer
      let balancer: TCPRelay

      /// Joins a room through a node, and publishes sound.
      init(_ name: String, at node: ServerProcess, room: String = "demo") async throws {
        self.name = name
        balancer = try await TCPRelay.start(to: Int(node.port))
        peer = try LiveKitPeer("ws://127.0.0.1:\(balancer.port)", token: try node.liveKitToken(name, room: room))
        try await peer.reaches("\(name) is connected") { $0.connected }
        try peer.tell("publish audio")
      }

      /// The id of another client, which changes when it joins anew.
      func sid(of other: Client) -> String { peer.state?.others[other.name]?.sid ?? "" }

      /// Waits until both hear each other.
      /// - Parameter old: the ids of both before they joined anew.
      static func hear(_ one: Client, _ other: Client, _ when: String, old: [String] = []) async throws {
        for (here, there) in [(one, other), (other, one)] {
          try await here.peer.reaches("\(here.name) hears \(there.name) \(when)") { state in
            guard let seen = state.others[there.name], state.connected, !old.contains(seen.sid) else { return false }
            return (seen.track("KIND_AUDIO")?.energy ?? 0) > 1000
          }
        }
      }

      func sends(_ text: String, to other: Client) async throws {
        try peer.tell("data reliable all topic \(text)")
        try await other.peer.reaches("\(other.name) has what \(name) sent") { state in
          state.data.contains { $0.text == text && $0.sender == name }
        }
      }
    }

    @Test("a participant is moved to a room of another node, whichever node is asked and carries it", .timeLimit(.minutes(3)))
    func moved() async throws {
      let redis = try await RedisServer()
      let cluster = try await ClusterProcesses(
        3, on: "redis://127.0.0.1:\(redis.port)", ["--workers", "1", "--no-auto-create"], regions: true)
      let servers = cluster.servers
      // Each node makes the rooms of its region.
      for (node, room) in zip(servers, ["one", "two"]) {
        #expect(try await node.api("POST", "/v1/rooms", json: #"{"name":"\#(room)"}"#).status == 201)
        #expect(try await cluster.owner(of: RoomName(room)) === node)
      }
      let bob = try await Client("bob", at: servers[1], room: "two")
      for (number, carrier) in servers.enumerated() {
        let ann = try await Client("ann\(number)", at: carrier, room: "one")
        defer { ann.balancer.stop() }
        try await ann.peer.reaches("\(ann.name) publishes") { !$0.me.tracks.isEmpty }
        let admin = LiveKitAdmin(server: servers[2 - number])
        func move(to room: String) async throws -> [String: Any] {
          let call = #"{"room": "one", "identity": "\#(ann.name)", "destination_room": "\#(room)"}"#
          return try await admin.call("move_participant", call)
        }
        #expect(try await move(to: "nowhere")["error"] as? String == "not_found")
        #expect(ann.peer.state?.connected == true && ann.peer.state?.room == "one")
        #expect(try await move(to: "two").isEmpty)
        try await Client.hear(ann, bob, "in room two")
        #expect(ann.peer.state?.room == "two" && ann.peer.state?.reason == nil)
        let left = try await admin.call("get_participant", #"{"room": "one", "identity": "\#(ann.name)"}"#)
        #expect(left["error"] as? String == "not_found")
        try ann.peer.tell("leave")
      }
      bob.balancer.stop()
    }

    @Test(
      "two clients of a room, at its node and at another one, receive each other; they are together again after that node is killed, and after the next one is drained",
      .timeLimit(.minutes(3)), arguments: [false, true])
    func together(atEdges: Bool) async throws {
      let redis = try await RedisServer()
      let cluster = try await ClusterProcesses(
        3, on: "redis://127.0.0.1:\(redis.port)", ["--workers", "1", "--drain", "30"] + (atEdges ? [] : ["--no-edge"]))
      #expect(try await cluster.servers[0].api("POST", "/v1/rooms", json: #"{"name":"demo"}"#).status == 201)
      let owner = try #require(try await cluster.owner(of: "demo"))
      let others = cluster.others(than: owner)
      let (ann, bob) = (try await Client("ann", at: owner), try await Client("bob", at: others[0]))
      defer { for client in [ann, bob] { client.balancer.stop() } }
      try await Client.hear(ann, bob, "at once")
      try await ann.sends("one", to: bob)
      try await bob.sends("two", to: ann)
      #expect(try await others[0].metric("roomserver_cluster_carried_clients") == 1)
      #expect(try await owner.metric("roomserver_cluster_carried_served") == 1)
      #expect(try await (others[0].metric("roomserver_transports") > 0) == atEdges, "bob's media")
      struct Nodes: Decodable {
        struct Node: Decodable { var participants: Int }
        var nodes: [Node]
      }
      let nodes = try JSONDecoder().decode(Nodes.self, from: Data(try await others[1].api("GET", "/v1/nodes").body.utf8))
      #expect(nodes.nodes.map(\.participants).sorted() == (atEdges ? [0, 1, 1] : [0, 0, 2]))

      let sid = ann.sid(of: bob)
      bob.balancer.lead(to: Int(others[1].port))
      bob.balancer.cut()
      try await bob.peer.reaches("bob resumes at a third node") { $0.events.contains("reconnected") }
      #expect(ann.sid(of: bob) == sid && ann.peer.state?.events.contains("left bob") == false)
      #expect(try await others[1].metric("roomserver_cluster_carried_clients") == 1)
      try await bob.sends("three", to: ann)

      var old = [ann.sid(of: bob), bob.sid(of: ann)]
      owner.kill()
      var begin = ContinuousClock.now
      ann.balancer.lead(to: Int(others[0].port))
      let next = try await eventually("another node owns the room") { try await cluster.owner(of: "demo") }
      try await Client.hear(ann, bob, "after the node was killed", old: old)
      print("both hear each other \(ContinuousClock.now - begin) after their room's node was killed")
      try await ann.sends("four", to: bob)

      let last = try #require(others.first { $0 !== next })
      old = [ann.sid(of: bob), bob.sid(of: ann)]
      begin = ContinuousClock.now
      for client in [ann, bob] { client.balancer.lead(to: Int(last.port)) }
      #expect(try await next.api("POST", "/v1/server/drain", json: #"{"seconds":30}"#).status == 202)
      try await Client.hear(ann, bob, "after the drain", old: old)
      print("both hear each other \(ContinuousClock.now - begin) after the begin of the drain")
      try await bob.sends("five", to: ann)
      #expect(try await cluster.owner(of: "demo") === last)
      for client in [ann, bob] {
        #expect(client.peer.state?.reason == nil && client.peer.state?.events.contains { $0.hasPrefix("failed") } == false)
      }
    }
  }
}
