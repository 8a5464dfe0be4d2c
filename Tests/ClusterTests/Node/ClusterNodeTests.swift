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

    init(_ id: NodeID, _ server: RedisServer, all: Shared<[Node]>, _ timing: LeaseTiming) throws {
      redis = try RedisClient(RedisURL("redis://127.0.0.1:\(server.port)"))
      let (adopted, stopped) = (Shared<[RoomLease]>([]), Shared<[RoomLease]>([]))
      (self.adopted, self.stopped) = (adopted, stopped)
      let isReachable = isReachable
      node = ClusterNode(
        id, process: .random(in: 0...(.max)), store: ClusterStore(redis), timing: timing,
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

  private func cluster(_ server: RedisServer, _ count: Int = 3, _ timing: LeaseTiming = .init()) async throws -> [Node] {
    let all = Shared<[Node]>([])
    let nodes = try (0..<count).map { try Node(NodeID(number: $0), server, all: all, timing) }
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

  @Test("nodes that read only changes know who enters, ends and leaves, and restore the rooms of one that is cut off")
  func changes() async throws {
    let server = try await RedisServer()
    var timing = LeaseTiming()
    (timing.watched, timing.listing) = (1, 600_000_000)
    let nodes = try await cluster(server, 4, timing)
    for (number, node) in nodes.enumerated() { _ = try await node.node.acquire(RoomName("room\(number)")) }
    nodes[0].isReachable.withLock { $0 = false }
    await nodes[0].redis.close()
    _ = try await nodes[1].redis.send(["CONFIG", "RESETSTAT"])
    try await eventually("its room has another owner", within: .seconds(20)) { nodes[1...].contains { $0.owns("room0") } }
    await nodes[1].node.stop()
    try await eventually("so has that of a node that left") { nodes[2...].contains { $0.owns("room1") } }
    for node in nodes[2...] {
      try await eventually("the others are the members") {
        Set(node.node.membership.members.keys.map(\.node)) == ["n2", "n3"]
      }
    }
    // The joins of nodes read all members; renewals did not.
    let commands = try await nodes[2].redis.send(["INFO", "commandstats"]).text
    #expect(commands?.contains("cmdstat_hgetall") == false && commands?.contains("cmdstat_evalsha") == true)
    for node in nodes { await node.end() }
  }

  @Test("a node that has missed more changes than Redis keeps reads all members")
  func manyChanges() async throws {
    let server = try await RedisServer()
    let client = try RedisClient(RedisURL("redis://127.0.0.1:\(server.port)"))
    let store = ClusterStore(client)
    _ = try await client.send(["PING"])
    let session = try #require(client.session)
    let report = NodeReport(address: "http://h")
    func join(_ node: NodeID, leaving: [Incarnation] = []) async throws -> NodeLease.Entry {
      try await store.join(node, process: 1, previous: nil, leaving: leaving, report: report, in: session)
    }
    func read(_ own: Incarnation, since version: Int64) async throws -> MemberReading.Answer? {
      try await store.renew(
        own, beat: 1, seen: 1, report: report, MemberReading(since: version), lastKick: 0, in: session
      ).members
    }
    let own = try await join("a")
    var last = try await join("b")
    guard case .changes(let first) = try await read(own.incarnation, since: own.membership.version) else {
      Issue.record("one change is known")
      return
    }
    #expect(first.members.map(\.incarnation) == [last.incarnation] && first.ended == [])
    let begin = last
    for _ in 0..<600 { last = try await join("b", leaving: [last.incarnation]) }
    guard case .all(let all) = try await read(own.incarnation, since: begin.membership.version) else {
      Issue.record("the changes are not all kept")
      return
    }
    #expect(all == last.membership.renewed(own.incarnation))
    guard case .changes(let none) = try await read(own.incarnation, since: all.version) else {
      Issue.record("nothing has changed")
      return
    }
    #expect(none == MembershipChanges(epoch: all.epoch, version: all.version))
    await client.close()
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

extension Membership {
  /// The same with a member's first renewal.
  fileprivate func renewed(_ member: Incarnation) -> Membership {
    var membership = self
    membership.members[member]?.beat = 1
    membership.members[member]?.seen = 1
    return membership
  }
}
