import RoomCluster
import RoomNodeLink

/// The nodes with which an edge exchanges tracks: the owner of the room, and other edges.
struct EdgeReach: Sendable {
  let cluster: Cluster
  let links: NodeLinks

  /// Returns the link to a node; nil if it is no member, or opens no links.
  func link(to node: Incarnation) -> OpenLink? { cluster.member(node).flatMap { try? links.link(to: $0) } }
}
