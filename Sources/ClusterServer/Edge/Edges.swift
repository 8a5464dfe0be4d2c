import Logging
import NIOCore
import RoomCluster
import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomProtocol
import RoomRTP
import RoomSFU
import RoomServer

/// The rooms of other nodes whose clients this node serves.
actor Edges: SignalRelay {
  /// A client of an edge.
  private struct Client: RelayedClient {
    let edge: Edge
    let number: Int
    /// The end of its entry in ``Edges/departing``.
    let forget: @Sendable () -> Void

    func pass(_ message: ByteBuffer) { edge.pass(message, from: number) }
    func end() {
      forget()
      edge.lost(number)
    }
  }

  /// Maximum number of rooms.
  private static let limit = 4096
  private static let connectTime = Duration.seconds(3)

  private let cluster: Cluster
  private let links: NodeLinks
  private let plane: MediaPlane
  /// Closes the connection to an owner that is silent for this long.
  private let silence: Duration
  /// A node that drains redirects its clients.
  let isDraining: Guarded<Bool>
  private let counters: EdgeCounters
  private let log: Logger
  private var edges: [RoomName: (edge: Edge, run: Task<Void, Never>)] = [:]
  private var opening: [RoomName: Task<Edge?, Never>] = [:]
  private var isStopping = false
  /// The clients here, which a drain asks to leave.
  private let departing = Guarded(DepartingClients())

  init(
    _ cluster: Cluster, _ links: NodeLinks, plane: MediaPlane, isDraining: Guarded<Bool>, counters: EdgeCounters,
    ground: ServerGround
  ) {
    self.cluster = cluster
    self.links = links
    self.plane = plane
    silence = ground.configuration.keepAlive.silence
    self.isDraining = isDraining
    self.counters = counters
    log = ground.log
  }

  func open(_ room: RoomName, for channel: any SignalChannel, at client: String?) async -> (any RelayedClient)? {
    guard servesClients, case .there(let member)? = try? await cluster.node.owner(of: room) else { return nil }
    // The first message says at which other nodes the client may continue if this one dies.
    Alternatives(to: member, at: cluster).send(to: channel, leave: false)
    return await use(room, at: member) { [departing] edge in
      edge.add(channel, at: client).map { number in
        let entry = departing.withLock { $0.add(channel, of: member.incarnation) }
        return Client(edge: edge, number: number) { departing.withLock { $0.remove(entry) } }
      }
    }
  }

  /// Asks the next clients to continue at other nodes.
  func handOver(now: Instant) -> Bool {
    let hasUses = !edges.isEmpty
    let due = departing.withLock { $0.takeDue(now: now, isUsed: hasUses) }
    for (channel, owner) in due {
      guard let member = cluster.member(owner) else { continue }
      Alternatives(to: member, at: cluster).send(to: channel, leave: true)
      counters.askedToLeave.add(1, ordering: .relaxed)
    }
    return departing.withLock { $0.waits(now: now, isUsed: hasUses) }
  }

  /// Opens the edge of a room of another node, which knows the edge then; nil if this node serves no media of it.
  func hold(_ room: RoomName, at member: ClusterMember) async -> EdgeHold? {
    guard servesClients else { return nil }
    return await use(room, at: member) { edge in
      guard let hold = EdgeHold(edge), await edge.hasBegun(within: Self.connectTime) else { return nil }
      return hold
    }
  }

  private var servesClients: Bool { !isStopping && !isDraining.withLock { $0 } }

  /// Opens the edge of a room of another node for a use, and once more if the edge has just ended: `begin` returns nil then.
  private func use<Use>(
    _ room: RoomName, at member: ClusterMember, _ begin: (Edge) async -> Use?
  ) async -> Use? {
    for _ in 0..<2 {
      guard let edge = await edge(of: room, at: member) else { break }
      if let begun = await begin(edge) { return begun }
      forget(edge, of: room)
    }
    counters.refused.add(1, ordering: .relaxed)
    return nil
  }

  private func edge(of room: RoomName, at member: ClusterMember) async -> Edge? {
    if let known = edges[room]?.edge {
      if known.member.incarnation == member.incarnation { return known }
      known.close()
      forget(known, of: room)
    }
    if let opening = opening[room] { return await opening.value }
    guard edges.count + opening.count < Self.limit else { return nil }
    let task = Task { await self.connect(room, member) }
    opening[room] = task
    let edge = await task.value
    opening[room] = nil
    return edge
  }

  private func connect(_ room: RoomName, _ member: ClusterMember) async -> Edge? {
    guard let own = cluster.node.incarnation else { return nil }
    do {
      _ = try links.link(to: member)
      var request = HTTPRequest(
        method: "GET", target: EdgeHost.path(of: room), query: "edge=\(own)&tree=\(EdgeHost.treeVersion)", headers: [])
      cluster.sign(&request)
      let socket = try await NodeSocket.open(
        request, to: member.report.address, by: cluster.client.tls, within: Self.connectTime, silence: silence,
        isBinary: true)
      let edge = Edge(at: member, socket, EdgeReach(cluster: cluster, links: links), plane: plane, counters: counters)
      counters.rooms.add(1, ordering: .relaxed)
      log.info("edge of a room", metadata: ["room": "\(room)", "owner": "\(member.incarnation.node)"])
      let run = Task { [cluster, counters, log] in
        await edge.run { cluster.member(member.incarnation) != nil }
        counters.rooms.subtract(1, ordering: .relaxed)
        log.info("edge of a room ended", metadata: ["room": "\(room)", "owner": "\(member.incarnation.node)"])
        self.forget(edge, of: room)
      }
      edges[room] = (edge, run)
      return edge
    } catch {
      log.warning(
        "can't serve a room of another node",
        metadata: ["room": "\(room)", "owner": "\(member.incarnation.node)", "reason": "\(error)"])
      return nil
    }
  }

  /// Copies of tracks that this node sends to other edges of these rooms.
  var copies: Int { edges.values.reduce(0) { $0 + $1.edge.copies } }

  private func forget(_ edge: Edge, of room: RoomName) { if edges[room]?.edge === edge { edges[room] = nil } }

  /// Ends all edges: their clients are disconnected.
  func stop() async {
    isStopping = true
    let all = edges.values
    for (edge, _) in all { edge.close() }
    for (_, run) in all { await run.value }
  }
}
