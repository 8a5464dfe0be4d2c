import Foundation
import NIOCore
import RoomCluster
import RoomEngine
import RoomHTTPServer
import RoomPeers
import RoomProtocol
import RoomSFU
import RoomTLS
import RoomTestSupport
import RoomWebRTC
import Testing

@testable import RoomClusterServer
@testable import RoomServer

@Suite("An edge that does what it should not", .serialized, .enabled(if: RedisServer.isInstalled))
struct HostileEdgeTests {
  /// The connection of an edge to the owner of a room, with the name of a node of the cluster.
  private final class FakeEdge: Sendable {
    private let socket: NodeSocket
    private let received = Shared<[EdgeOrder]>([])
    private let closed = Shared<CloseReason??>(nil)
    private let reading = Shared<Task<Void, Never>?>(nil)

    init(_ cluster: Cluster, as edge: Incarnation, signedBy node: NodeID, tree: Int = EdgeHost.treeVersion) async throws {
      var request = HTTPRequest(
        method: "GET", target: EdgeHost.path(of: "show"), query: "edge=\(edge)&tree=\(tree)", headers: [])
      NodeSignature(secret: cluster.secret).sign(&request, as: node, at: RoomTime.now.unix)
      socket = try await NodeSocket.open(
        request, to: "http://127.0.0.1:\(cluster.owner.server.port)", by: try TLSContext(trusting: .system),
        within: .seconds(10),
        silence: .seconds(60), isBinary: true)
    }

    /// Takes the owner's orders from now on.
    func read() {
      let task = Task {
        for await message in socket.messages {
          if let (order, _) = EdgeFrame.decode(EdgeOrder.self, message) { received.withLock { $0.append(order) } }
          socket.consumed()
        }
        closed.withLock { $0 = .some(socket.closeReason) }
      }
      reading.withLock { $0 = task }
    }

    func send(_ notice: EdgeNotice, _ body: String? = nil) throws {
      socket.send(try #require(EdgeFrame.encode(notice, body.map { ByteBuffer(string: $0) })))
    }

    func begin() async throws {
      read()
      let fingerprint = Fingerprint(algorithm: "sha-256", bytes: Array(repeating: 1, count: 32))
      try send(.begins(MediaAnnexAddresses(fingerprint: fingerprint, candidates: [[]])))
      _ = try await next("the begin") { if case .begun = $0 { true } else { nil } }
    }

    /// Removes and returns the first order that `pick` accepts.
    func next<Value: Sendable>(_ what: String, _ pick: @Sendable (EdgeOrder) -> Value?) async throws -> Value {
      try await eventually("\(what), after \(received.value.map { "\($0)".prefix(60) })") {
        received.withLock { orders in
          for (index, order) in orders.enumerated() {
            if let value = pick(order) {
              orders.remove(at: index)
              return value
            }
          }
          return nil
        }
      }
    }

    /// Returns from where the edge is to receive tracks, by the orders that came before the answer to a question of this edge.
    func sources(_ question: Int) async throws -> [Incarnation] {
      // Opened twice: the second is refused.
      for _ in 0..<2 { try send(.opened(client: question, address: nil)) }
      _ = try await next("the answer") { if case .close(question, .notJoined) = $0 { true } else { nil } }
      return received.withLock { orders in orders.compactMap { if case .receive(_, _, let node) = $0 { node } else { nil } } }
    }

    /// Takes no order any more.
    func freeze() { reading.withLock { $0?.cancel() } }

    func reason() async throws -> CloseReason? { try await eventually("the close") { closed.withLock { $0 } } }
  }

  private struct Cluster {
    private struct State: Decodable {
      struct Node: Decodable {
        var node: String
        var incarnation: Incarnation
        var headroom: Double
      }
      var nodes: [Node]
    }

    var owner: TestServer
    var nodes: [Incarnation]
    var own: Incarnation
    var secret: String

    /// Runs `body` with three nodes, of which the first owns the room "show".
    static func with(
      _ adjust: @escaping (inout ServerConfiguration) -> Void = { _ in }, _ body: (Self) async throws -> Void
    ) async throws {
      let adjustAll = { (configuration: inout ServerConfiguration) in
        configuration.cluster?.edgeFanOut = 1
        adjust(&configuration)
      }
      try await ClusterServers.with(3, adjustAll) { servers in
        #expect(try await servers[0].api("POST", "/v1/rooms", json: #"{"name":"show"}"#).status == 201)
        let owner = try #require(try await servers.owner(of: "show"))
        let state = try await eventually("all nodes have headroom: an edge without any feeds nobody", within: .seconds(60)) {
          let state: State = try await servers[owner].api("GET", "/v1/cluster").decoded()
          return state.nodes.allSatisfy { $0.headroom > 0 } ? state : nil
        }
        let secret = try #require(try await servers.ask(["GET", "{roomserver}:secret"]).text)
        var nodes = state.nodes.map(\.incarnation)
        let own = nodes.remove(at: try #require(state.nodes.firstIndex { $0.node == "n\(owner)" }))
        try await body(Self(owner: servers[owner], nodes: nodes, own: own, secret: secret))
      }
    }

    func edge(_ number: Int) async throws -> FakeEdge {
      let edge = try await FakeEdge(self, as: nodes[number], signedBy: nodes[number].node)
      try await edge.begin()
      return edge
    }

    /// Lets somebody watch the room at an edge.
    func watch(at edge: Incarnation, as user: UserID) async throws {
      let offer = HTTPOffer.view(.opus)
      let signature = NodeSignature(secret: secret)
      var request = HTTPRequest(method: "POST", target: "/whep/show/anchor", headers: [], body: Array(offer.utf8))
      PassedClient(nil, mayOpen: false, edge: edge).sign(&request, as: edge.node, at: RoomTime.now.unix, signature)
      signature.sign(&request, as: edge.node, at: RoomTime.now.unix)
      let headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
      let token = try owner.token(user, room: "show", grants: [.subscribe])
      let answer = try await owner.http(
        "POST", request.target, token, headers: headers.merging(["Content-Type": "application/sdp"]) { $1 }, body: offer)
      #expect(answer.status == 201, "\(answer.status) \(answer.text)")
    }
  }

  @Test("a wrong secret, an old incarnation, another node's name, another version and another room's owner open no edge")
  func door() async throws {
    try await Cluster.with { cluster in
      let (node, other) = (cluster.nodes[0], cluster.nodes[1])
      var forged = cluster
      forged.secret = "a wrong secret of the cluster"
      let old = Incarnation(node: node.node, epoch: node.epoch - 1, process: node.process)
      let restarted = Incarnation(node: node.node, epoch: node.epoch, process: node.process ^ 1)
      let edges = [
        try await FakeEdge(forged, as: node, signedBy: node.node), try await FakeEdge(cluster, as: old, signedBy: node.node),
        try await FakeEdge(cluster, as: restarted, signedBy: node.node),
        try await FakeEdge(cluster, as: node, signedBy: other.node),
        try await FakeEdge(cluster, as: node, signedBy: node.node, tree: EdgeHost.treeVersion + 1),
      ]
      for edge in edges {
        edge.read()
        #expect(try await edge.reason() == .notJoined)
      }
      let early = try await FakeEdge(cluster, as: node, signedBy: node.node)
      early.read()
      try early.send(.idle(true))
      #expect(try await early.reason() == .notJoined, "it has not begun")
      #expect(try await cluster.owner.metric("roomserver_edges") == 0)
    }
  }

  @Test("an edge that opens a second connection loses the first; what an edge claims of others changes nothing")
  func claims() async throws {
    try await Cluster.with { cluster in
      let (near, far) = (cluster.nodes[0], cluster.nodes[1])
      let publish = try await cluster.owner.post(
        "/whip/show", try cluster.owner.token("anchor", room: "show"), try HTTPOffer.publish(.opus))
      #expect(publish.status == 201)
      let former = try await cluster.edge(0)
      let (parent, child) = (try await cluster.edge(0), try await cluster.edge(1))
      #expect(try await former.reason() == .replaced)

      // With a fan-out of one, the first edge is to feed the second.
      try await cluster.watch(at: far, as: "viewer")
      let track = try await parent.next("the order to send") { order in
        if case .send(let track, to: far, _) = order { track } else { nil }
      }
      let viewer = try await child.next("the viewer") { if case .media(.open(let id, _, _)) = $0 { id } else { nil } }
      #expect(try await parent.sources(1) == [cluster.own])
      #expect(try await child.sources(1).isEmpty)
      // The child claims to be a parent of its parent, and of itself, and that others are its parents.
      for node in [near, far] {
        try child.send(.sends(track, to: node, stream: 7))
        try child.send(.sends(track, to: node, stream: nil))
        try child.send(.receives(track, from: node))
      }
      for node in [far, cluster.own] { try child.send(.misses(node)) }
      try parent.send(.media(.transportClosed(viewer)))
      #expect(try await child.sources(2).isEmpty)
      #expect(try await parent.sources(2) == [cluster.own])

      try parent.send(.sends(track, to: far, stream: 7))
      _ = try await parent.sources(3)
      #expect(try await child.sources(3) == [near])
      // Its parent is silent. The owner is the only one that is left.
      try child.send(.misses(near))
      #expect(try await child.sources(4) == [near, cluster.own])
      #expect(try await cluster.owner.metric("roomserver_viewers") == 1)
      try child.send(.media(.transportClosed(viewer)))
      try await eventually("the viewer has left") { try await cluster.owner.metric("roomserver_viewers") == 0 }
    }
  }
  @Test("an edge that does not read is closed, and a client of it that sends too fast too")
  func unread() async throws {
    try await Cluster.with({
      $0.limits.outgoingBytes = 16_384
      ($0.limits.messagesPerSecond, $0.limits.messageBurst) = (1, 1)
    }) { cluster in
      let edge = try await cluster.edge(0)
      for client in 1...2 { try edge.send(.opened(client: client, address: nil)) }
      for _ in 0..<300 { try edge.send(.message(from: 2), "{}") }
      _ = try await edge.next("the end of the fast client") { if case .close(2, .slowClient) = $0 { true } else { nil } }
      let join = JoinParams(token: try cluster.owner.token("viewer", room: "show", grants: [.subscribe]))
      let request = try JSONEncoder().encode(SignalRequest(id: 1, call: .join(join)))
      try edge.send(.message(from: 1), String(decoding: request, as: UTF8.self))
      _ = try await edge.next("the answer to the join") { if case .message(let to) = $0, to == [1] { true } else { nil } }
      edge.freeze()
      let data = String(repeating: "1", count: 60_000)
      try await eventually("the edge is closed", within: .seconds(60)) {
        let sent = try await cluster.owner.api(
          "POST", "/v1/rooms/show/calls/sendMessage", json: #"{"kind":"custom","type":"flood","data":"\#(data)"}"#)
        #expect(sent.status == 200, "\(sent.text)")
        return try await cluster.owner.metric("roomserver_edges") == 0
      }
    }
  }
}
