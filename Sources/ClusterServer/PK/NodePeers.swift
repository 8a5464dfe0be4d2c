import Logging
import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomProtocol
import RoomServer

/// PK between rooms of different nodes: the calls of this node's rooms, and the answers to those of other nodes.
final class NodePeers: Sendable {
  let links: NodeLinks
  let peers: ClusterPeers
  private let lendings: Lendings
  private let cluster: Cluster
  private let room: @Sendable (RoomName) async -> Room?
  private let settled: @Sendable () async -> Void

  /// - Parameters:
  ///   - room: returns a room of this node.
  ///   - settled: returns once all changes of rooms so far are stored.
  init(
    _ cluster: Cluster, _ links: NodeLinks, room: @escaping @Sendable (RoomName) async -> Room?,
    settled: @escaping @Sendable () async -> Void, log: Logger
  ) {
    self.settled = settled
    self.links = links
    self.cluster = cluster
    self.room = room
    peers = ClusterPeers(cluster, links, room: room, log: log)
    lendings = Lendings(cluster, links, log: log)
  }

  var endpoints: [Endpoint] { PeersAPI(cluster: cluster, lendings: lendings, room: room, settled: settled).endpoints }

  /// Ends all lendings and links.
  func stop() async {
    await peers.stop()
    await lendings.stop()
    await blocking(named: "links-stop") { [links] in links.stop() }
  }
}
