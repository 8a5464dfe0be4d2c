import Foundation
import Logging
import RoomCluster
import RoomPeers
import RoomProtocol
import RoomRedis
import RoomTestSupport
import Testing

@Suite("Nodes with a Redis", .serialized, .enabled(if: RedisServer.isInstalled))
struct ClusterNodeTests {
  /// A node, and what its server was asked to do.
  private final class Node: Sendable {
    let node: ClusterNode
    let redis: RedisClient
    let adopted: Shared<[RoomLease]>
    let stopped: Shared<[RoomLease]>
    /// Whether other nodes reach it.
    let isReachable = Shared(true)

    init(_ id: NodeID, _ server: RedisServer, all: Shared<[Node]>) throws {
      redis = try RedisClient(RedisURL("redis://127.0.0.1:\(server.port)"))
      let (adopted, stopped) = (Shared<[RoomLease]>([]), Shared<[RoomLease]>([]))
      (self.adopted, self.stopped) = (adopted, stopped)
      let isReachable = isReachable
      node = ClusterNode(
        id, process: .random(in: 0...(.max)), store: ClusterStore(redis),
        .init(
          report: { NodeReport(address: "http://\(id)") },
          ask: { member, request in
            guard isReachable.withLock({ $0 }), let peer = all.withLock({ $0.first { $0.node.id == member.incarnation.node } }),
              peer.isReachable.withLock({ $0 })
            else { return false }
            return peer.node.asked(request)
          },
          adopt: { lease in adopted.withLock { $0.append(lease) } },
          stop: { leases in stopped.withLock { $0 += leases } }),
        log: Logger(label: "node") { _ in SwiftLogNoOpLogHandler() })
      node.start()
    }

    func owns(_ room: RoomName) -> Bool { node.title(of: room) != nil }

    func end() async {
      await node.stop()
      await redis.close()
    }
  }

  private func cluster(_ server: RedisServer, _ count: Int = 3) async throws -> [Node] {
    let all = Shared<[Node]>([])
    let nodes = try (0..<count).map { try Node(NodeID(number: $0), server, all: all) }
    all.withLock { $0 = nodes }
    for node in nodes {
      try await eventually("the node is ready", within: .seconds(20)) {
        node.node.isReady && node.node.membership.members.count == count
      }
    }
    return nodes
  }

  @Test("a room has one owner that all nodes know; if it is cut off, another restores the room within 5 s")
  func takeover() async throws {
    let server = try await RedisServer()
    let nodes = try await cluster(server)
    guard case .here(let fence) = try await nodes[0].node.acquire("room") else {
      Issue.record("the first owner is another node")
      return
    }
    for other in nodes[1...] {
      guard case .there(let member) = try await other.node.acquire("room") else {
        Issue.record("two owners")
        return
      }
      #expect(member.report.address == "http://n0")
    }
    #expect(try await nodes[1].node.owner(of: "none") == nil)
    nodes[0].isReachable.withLock { $0 = false }
    await nodes[0].redis.close()
    let begin = ContinuousClock.now
    // A question that waits for the restored room is never answered with no owner.
    while !nodes[1].owns("room"), !nodes[2].owns("room"), ContinuousClock.now - begin < .seconds(30) {
      for node in nodes[1...] { #expect(try await node.node.owner(of: "room", isRestored: true) != nil) }
    }
    #expect(ContinuousClock.now - begin < .seconds(5))
    #expect(!nodes[0].owns("room"))
    try await eventually("the first one stopped it") { nodes[0].stopped.withLock { $0.map(\.room) } == ["room"] }
    let adopted = nodes[1...].flatMap { $0.adopted.withLock { $0 } }
    #expect(adopted.map(\.room) == ["room"] && adopted[0].fence > fence)
    for node in nodes { await node.end() }
  }

  @Test("a node that leaves frees its rooms at once; a room that was given up has no owner")
  func leaving() async throws {
    let server = try await RedisServer()
    let nodes = try await cluster(server, 2)
    _ = try await nodes[0].node.acquire("room")
    _ = try await nodes[0].node.acquire("closed")
    await nodes[0].node.release("closed")
    #expect(try await nodes[1].node.owner(of: "closed") == nil)
    guard case .here(let fence) = try await nodes[1].node.acquire("closed") else {
      Issue.record("it has an owner")
      return
    }
    #expect(fence == 2)
    let begin = ContinuousClock.now
    await nodes[0].node.stop()
    try await eventually("the other node owns it") { nodes[1].owns("room") }
    #expect(ContinuousClock.now - begin < .seconds(2))
    for node in nodes { await node.end() }
  }

  @Test("while Redis is away, and after its restart, every room keeps its owner; nothing new is owned meanwhile")
  func outage() async throws {
    let server = try await RedisServer(["appendonly": "yes", "appendfsync": "always"])
    let nodes = try await cluster(server, 2)
    _ = try await nodes[0].node.acquire("room")
    _ = try await nodes[1].node.acquire("other")
    _ = try await nodes[1].node.owner(of: "room")
    server.kill()
    let begin = ContinuousClock.now
    while ContinuousClock.now - begin < .seconds(5) {
      #expect(nodes[0].owns("room") && nodes[1].owns("other"))
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(nodes[0].node.restsOnPromises)
    guard case .there = try await nodes[1].node.owner(of: "room") else {
      Issue.record("the owner is unknown without Redis")
      return
    }
    await #expect(throws: ClusterError.self) { try await nodes[0].node.acquire("new") }
    try await server.start()
    try await eventually("leases are renewed") { !nodes[0].node.restsOnPromises && !nodes[1].node.restsOnPromises }
    #expect(nodes[0].owns("room") && nodes[1].owns("other"))
    #expect(nodes.allSatisfy { $0.stopped.withLock { $0.isEmpty } })
    for node in nodes { await node.end() }
  }
}
