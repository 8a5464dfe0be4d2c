import RoomCluster
import RoomHTTPServer
import RoomLinux
import RoomLiveOrigin
import RoomProtocol
import RoomSFU
import RoomServer

/// This server as a node of a cluster: its leases, the stores that all nodes share, and its links to other nodes.
package struct ClusterPart: NeighboursPart {
  let cluster: Cluster
  let links: NodeLinks
  private let region: String
  let authority = SendingAuthority()
  private let peers: NodePeers
  /// Set once the rooms have started.
  let directory: Guarded<RoomDirectory?>
  let annexes = AnnexNodes()
  let audiences = StreamAudiences()

  package static func isUsed(by configuration: ServerConfiguration) -> Bool { configuration.cluster != nil }

  package static func start(in assembly: Assembly) async throws(StartError) -> Self {
    let ground = assembly.ground
    guard let settings = ground.configuration.cluster else { throw .cluster(reason: "the server has no settings of a cluster") }
    let id = try settings.nodeID(in: ground.data)
    let cluster = try await Cluster(settings, node: id, kicked: ground.kicked, log: ground.log)
    do throws(StartError) {
      let links = try NodeLinks(cluster, settings, host: ground.configuration.host, log: ground.log)
      let directory = Guarded<RoomDirectory?>(nil)
      let peers = NodePeers(
        cluster, links, room: { await directory.withLock { $0 }?.room($0) },
        settled: { await directory.withLock { $0 }?.store?.settled() }, log: ground.log)
      return Self(cluster: cluster, links: links, region: settings.region, peers: peers, directory: directory)
    } catch {
      await cluster.stop()
      throw error
    }
  }

  package var neighbours: Neighbours {
    var neighbours = Neighbours()
    neighbours.node = cluster.node.id
    neighbours.store = cluster.rooms
    neighbours.events = cluster.sharedEvents
    neighbours.authority = authority
    neighbours.ownership = cluster
    neighbours.streams = cluster.streams
    neighbours.ingest = cluster.ingestRouting
    neighbours.peer = { [peers = peers.peers] name in ClusterPeer(name: name, peers: peers) }
    neighbours.matchmaking = MatchStore(cluster.store.redis)
    neighbours.places = places
    neighbours.isReady = { [cluster] in cluster.node.isReady }
    neighbours.isNode = { [cluster] request in cluster.sender(of: request) != nil }
    return neighbours
  }

  /// The nodes that serve the people of this node's rooms and streams.
  var places: AudiencePlaces {
    @Sendable func place(_ incarnation: Incarnation) -> AudiencePlace {
      AudiencePlace(node: incarnation.node, region: cluster.member(incarnation)?.report.region ?? "")
    }
    return AudiencePlaces(
      own: { [cluster, region] in AudiencePlace(node: cluster.node.id, region: region) },
      place: { [annexes] annex, room in annexes.node(of: annex, in: room).map(place) },
      viewers: { [audiences] stream in
        Dictionary(audiences.viewers(of: stream, now: .now).map { (place($0.key), $0.value) }, uniquingKeysWith: +)
      })
  }

  package var endpoints: [Endpoint] { peers.endpoints }

  package func addMetrics(to text: inout PrometheusText) async {
    cluster.addMetrics(to: &text)
    links.addMetrics(to: &text)
  }

  /// Gives up the leases: the rooms have ended, and their events are in the store.
  package func quiesce() async {
    await peers.stop()
    await cluster.stop()
  }

  package func stop() async { directory.withLock { $0 = nil } }
}
