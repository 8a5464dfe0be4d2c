import Logging
import NIOCore
import RoomCluster
import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomProtocol
import RoomSFU
import RoomServer
import RoomWebRTC
import Synchronization

/// Serves the edges of rooms that this node owns: each has one WebSocket for each room, which carries the conversations of its
/// clients, orders to its media, and what happens there.
struct EdgeHost: SocketDoor {
  /// The version of the messages by which edges feed edges. An edge with another one serves no clients of the room, and redirects them.
  static let treeVersion = 1
  /// Maximum number of clients of one edge in one room.
  private static let clients = 4096
  /// What may wait for an edge, in queues of one client.
  private static let queues = 16
  /// With the second after which a link is silent, an edge that stands still is replaced in less than two.
  private static let watchInterval = Duration.milliseconds(250)
  private static let standstill = Duration.milliseconds(750)

  static func path(of room: RoomName) -> String { "/v1/cluster/rooms/\(room.rawValue)/edge" }

  var endpoints: [Endpoint] { [Endpoint("GET", "/v1/cluster/rooms/*/edge", access: .open, action: .signalling())] }
  var frames: SocketFrames {
    SocketFrames(
      isBinary: true, messageBytes: NodeSocket.messageBytes,
      outgoingBytes: Self.queues * entrance.configuration.limits.outgoingBytes)
  }

  let cluster: Cluster
  let links: NodeLinks
  let entrance: Entrance
  /// Names the node of each edge.
  let nodes: AnnexNodes
  let counters: EdgeCounters
  let log: Logger
  /// The maximum number of edges that the owner of a room, or an edge of it, sends a track to.
  let fanOut: Int
  private let trees = Guarded<[RoomName: EdgeTree]>([:])

  /// Returns the node that has the media of a client whose request another node passed on.
  func place(of request: HTTPRequest, in room: RoomName) -> MediaPlace {
    guard request.isPassedOn, let node = PassedClient(request)?.edge else { return .here }
    return trees.withLock { $0[room]?.annex(of: node) }.map { .annex($0) } ?? .gone
  }

  func serves(_ request: HTTPRequest) -> Bool { request.target.hasPrefix("/v1/cluster/") }

  /// Serves an edge until its socket is closed. Refuses a request without the signature of a node.
  // Inlined, its frame would be in that of every connection of a client.
  @inline(never)
  func serve(_ socket: SignalSocket, _ request: HTTPRequest) async {
    let names = request.target.split(separator: "/")
    guard request.query("tree") == "\(Self.treeVersion)", let own = cluster.node.incarnation,
      let sender = cluster.sender(of: request), let incarnation = request.query("edge").flatMap({ Incarnation($0) }),
      incarnation.node == sender, let member = cluster.member(incarnation), let link = try? links.link(to: member),
      names.count == 5, let room = await entrance.directory.room(RoomName(String(names[3])))
    else { return socket.close(.notJoined) }
    let edge = HostedEdge(of: incarnation, owner: own, socket, link, links)
    var annex: SignalSession.Annex?
    counters.edges.add(1, ordering: .relaxed)
    for await message in socket.messages {
      defer { socket.consumed() }
      guard let (notice, body) = EdgeFrame.decode(EdgeNotice.self, message) else {
        socket.close(.protocolError)
        break
      }
      if case .begins(let addresses) = notice, annex == nil {
        let id = await room.read { $0.isClosed ? nil : room.media.add(edge, addresses) }
        annex = id.map { SignalSession.Annex(room: room, id: $0) }
        if let id {
          change(room) { $0.add(edge, id, at: place(of: edge.node)) }
          nodes.add(id, of: room.name, at: incarnation)
          edge.begin()
        }
        log.info("edge begins", metadata: ["room": "\(room.name)", "node": "\(sender)"])
      }
      guard let annex else {
        socket.close(.notJoined)
        break
      }
      handle(notice, body, of: edge, annex)
    }
    counters.edges.subtract(1, ordering: .relaxed)
    edge.end()
    guard let annex else { return }
    change(room) { $0.remove(edge.node, annex.id) }
    nodes.remove(annex.id, of: room.name)
    room.media.remove(annex.id)
    log.info("edge ended", metadata: ["room": "\(room.name)", "node": "\(sender)"])
  }

  private func handle(_ notice: EdgeNotice, _ body: ByteBuffer, of edge: HostedEdge, _ annex: SignalSession.Annex) {
    switch notice {
    case .begins: break
    case .media(let event): annex.room.media.handle(event, of: annex.id)
    case .sends(let track, let node, let stream):
      if let child = edge.sends(track, to: node, at: stream) { separate(child.node, from: edge.node, annex.room) }
    case .receives(let track, let node):
      let parent = trees.withLock { $0[annex.room.name]?.annex(of: node) }
      annex.room.media.settled(track, at: annex.id, from: parent)
    case .misses(let parent): separate(edge.node, from: parent, annex.room)
    case .idle(let isIdle): change(annex.room) { $0.setIdle(isIdle, at: edge.node) }
    case .statistics(let request, let statistics): edge.answer(request, statistics)
    case .data(let frame, let transport):
      annex.room.media.handle(.messageReceived(transport, edge.received(frame, body)), of: annex.id)
    case .dataPassed(let number, let spent): edge.passed(number, spent: spent)
    case .opened(let number, let address): open(number, at: address, of: edge, annex)
    case .message(let number): edge.client(number)?.receive(body)
    case .lost(let number): edge.client(number)?.lost()
    }
  }

  // MARK: The tree

  /// Copies of tracks that this node sends to edges of its rooms.
  var copies: Int { trees.withLock { $0.values.reduce(0) { $0 + $1.copies } } }

  private func change(_ room: Room, _ body: (inout EdgeTree) -> Void) {
    trees.withLock { trees in
      var tree = trees[room.name] ?? EdgeTree(of: room.media, fanOut: fanOut)
      body(&tree)
      trees[room.name] = tree.isEmpty ? nil : tree
    }
  }

  /// Returns what the owner knows of an edge.
  private func place(of node: Incarnation) -> EdgeTree.Place {
    let report = cluster.member(node)?.report
    return .init(
      region: report?.region ?? "", roundTrip: links.roundTrip(to: node), canRelay: report.map { $0.headroom > 0 } ?? false)
  }

  /// Gives an edge another parent than the one that can't reach it, or is not reached.
  private func separate(_ node: Incarnation, from parent: Incarnation, _ room: Room) {
    var isParent = false
    change(room) { isParent = $0.separate(node, from: parent) }
    guard isParent else { return }
    log.warning(
      "an edge can't be fed by another one",
      metadata: ["room": "\(room.name)", "node": "\(node.node)", "parent": "\(parent.node)"])
  }

  /// Moves what silent edges feed to others, until the task is cancelled.
  func watch() async {
    var begin = ContinuousClock.now
    while (try? await Task.sleep(for: Self.watchInterval)) != nil {
      defer { begin = .now }
      // If this process stood still itself, the other nodes only seem silent.
      guard ContinuousClock.now - begin < Self.standstill else { continue }
      let silent = Set(cluster.node.membership.members.keys.filter(links.isSilent))
      trees.withLock { trees in for room in trees.keys { trees[room]?.take(silent: silent, links.roundTrip) } }
    }
  }

  // MARK: Clients

  private func open(_ number: Int, at address: String?, of edge: HostedEdge, _ annex: SignalSession.Annex) {
    guard edge.client(number) == nil, edge.clientCount < Self.clients else { return edge.close(number, .notJoined) }
    let channel = EdgeChannel(number, of: edge)
    edge.add(channel)
    // One task for each client, as for each socket. It ends with the channel.
    Task { [entrance] in
      let client = address.flatMap { TransportAddress(host: $0, port: 0) }
      await SignalSession(entrance: entrance, socket: channel, client: client, annex: annex).run()
      edge.remove(number)
    }
  }
}
