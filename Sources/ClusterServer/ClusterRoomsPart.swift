import Logging
import RoomCluster
import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomProtocol
import RoomServer

/// The rooms of all nodes: requests and clients reach the node of their room, and rooms move.
package struct ClusterRoomsPart: RoutingPart {
  private let ground: ServerGround
  private let base: ClusterPart
  private let directory: RoomDirectory
  private let routes: ClusterRoutes
  private let host: EdgeHost
  private let events: EventsPart
  private let nodes: NodesAPI
  private let reporting = Guarded<Task<Void, Never>?>(nil)

  package static func isUsed(by configuration: ServerConfiguration) -> Bool { configuration.cluster != nil }

  package static func start(in assembly: Assembly) async throws(StartError) -> Self {
    let (ground, base) = (assembly.ground, try await assembly.part(ClusterPart.self))
    let (cluster, log, configuration) = (base.cluster, ground.log, ground.configuration)
    let entrance = try await assembly.part(EntrancePart.self).entrance
    let (rooms, events) = (try await assembly.part(APIPart.self).rooms, try await assembly.part(EventsPart.self))
    let plane = try await assembly.part(MediaPart.self).plane
    let directory = entrance.directory
    base.directory.withLock { $0 = directory }
    let counters = EdgeCounters()
    let edges: Edges? =
      if configuration.cluster?.isEdge == true {
        Edges(
          cluster, base.links, plane: plane, isDraining: directory.isDraining, counters: counters, ground: ground)
      } else { nil }
    let listing = ClusterListing(cluster: cluster, rooms: rooms)
    let host = EdgeHost(
      cluster: cluster, links: base.links, entrance: entrance, nodes: base.annexes, counters: counters, log: log,
      fanOut: configuration.cluster?.edgeFanOut ?? ClusterSettings.standardFanOut)
    let part = try await assembly.part(OriginPart.self)
    let nodes = NodesAPI(
      cluster: cluster, listing: listing,
      nodes: NodesList(
        cluster: cluster, places: base.places, summaries: { [directory] in directory.summaries.withLock { Array($0.values) } },
        streamViewers: { [origin = part.origin] in origin.audienceHere.values.reduce(0, +) }),
      audience: AudienceReporting(
        cluster: cluster, audiences: base.audiences, origin: part.origin, pulled: { part.pulledAudience }))
    let owner = OwnerRoute(cluster: cluster, restored: { [weak directory] in await directory?.restored($0) })
    let requests = EdgeRequests(owner: owner, edges: edges)
    let routing = ClusterRouting(
      owner: owner, listing: listing,
      recordings: ClusterRecordings(cluster: cluster, downloads: try await assembly.part(RecordingsPart.self).downloads),
      media: { await requests.answer($0, in: $1, opens: $2, $3) })
    return Self(
      ground: ground, base: base, directory: directory,
      routes: ClusterRoutes(
        routing: routing,
        carriage: Carriage(cluster, directory, configuration, edges, counters: CarriageCounters(), log: log), edges: edges,
        host: host, moves: RoomMoves(directory, cluster, log: log),
        mirrors: NodeMirrors(cluster: cluster, silence: configuration.keepAlive.silence, log: log)),
      host: host, events: events, nodes: nodes)
  }

  package var routing: any RequestRouting { routes }
  package var doors: [any SocketDoor] { [host] }
  package var endpoints: [Endpoint] { nodes.endpoints }
  /// The nodes with the people that each serves.
  var people: NodesList { nodes.nodes }
  var edges: EdgeCounts { host.counters.counts }

  package func addMetrics(to text: inout PrometheusText) async {
    host.counters.addMetrics(to: &text)
    text.add(
      "roomserver_edge_copies", .gauge, "Copies of tracks that this node sends to edges of rooms.",
      host.copies + (await routes.edges?.copies ?? 0))
    routes.carriage.counters.addMetrics(to: &text)
  }

  /// Enters the cluster.
  package func serve(at addresses: ServerAddresses) async {
    guard let settings = ground.configuration.cluster else { return }
    let configuration = ground.configuration
    let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
    let (address, link) = (settings.address ?? "http://\(host):\(addresses.http)", base.links.address)
    let rtmp = addresses.rtmp.flatMap { NodeURL(address)?.rtmp(port: $0) }
    let load = Guarded(NodeLoad(rooms: configuration.limits.rooms))
    reporting.withLock { [audience = nodes.audience, edges = self.host] in
      $0 = Task {
        async let watch: Void = edges.watch()
        await audience.run()
        await watch
      }
    }
    base.cluster.limit(base.authority) { [directory] in await directory.isSettled }
    base.cluster.start(
      .init(
        report: { [directory] in
          let rooms = directory.summaries.withLock { $0.count }
          let headroom = load.withLock { $0.headroom(seconds: ProcessClock.seconds, rooms: rooms, now: .now) }
          return NodeReport(
            address: address, region: settings.region, headroom: directory.isDraining.withLock { $0 } ? 0 : headroom,
            rooms: rooms, link: link, rtmp: rtmp, edge: settings.isEdge ? true : nil)
        },
        adopt: { [directory] rooms in
          await directory.adopt(rooms)
          for room in rooms { await directory.releaseUnlessOpen(room) }
        },
        drop: { [directory] rooms in await directory.drop(rooms) },
        settle: { [log = events.log] in await log.flush(within: .seconds(2)) }))
  }

  package func quiesce() async {
    let task = reporting.withLock { $0 }
    task?.cancel()
    await task?.value
    await routes.edges?.stop()
    routes.carriage.stop()
  }
}

/// How requests and clients find the node of their room.
private struct ClusterRoutes: RequestRouting {
  let routing: ClusterRouting
  let carriage: Carriage
  /// Nil if the server redirects clients of rooms of other nodes.
  let edges: Edges?
  let host: EdgeHost
  let moves: (any RoomMoving)?
  let mirrors: (any SocketMirroring)?

  var relay: (any SignalRelay)? { edges }

  func routed(_ endpoints: [Endpoint]) -> [Endpoint] { routing.routed(endpoints) }

  func endpoints(of door: any SocketDoor) -> [Endpoint] {
    if let door = door as? any RoomDoor { carriage.endpoints(of: door) } else { door.endpoints }
  }

  func serve(_ socket: SignalSocket, _ request: HTTPRequest, at door: any SocketDoor) async {
    if let door = door as? any RoomDoor {
      await carriage.serve(socket, request, at: door)
    } else {
      await door.serve(socket, request)
    }
  }

  func place(of request: HTTPRequest, in room: RoomName) -> MediaPlace { host.place(of: request, in: room) }

  func origin(of request: HTTPRequest) -> SocketOrigin { routing.cluster.origin(of: request) }
}
