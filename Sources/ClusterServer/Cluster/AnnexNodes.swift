import RoomCluster
import RoomLinux
import RoomProtocol
import RoomSFU

/// The nodes that have media of this node's rooms, by the annexes of the rooms.
final class AnnexNodes: Sendable {
  private let nodes = Guarded<[RoomName: [MediaAnnexID: Incarnation]]>([:])

  func add(_ annex: MediaAnnexID, of room: RoomName, at node: Incarnation) {
    nodes.withLock { $0[room, default: [:]][annex] = node }
  }

  func remove(_ annex: MediaAnnexID, of room: RoomName) {
    nodes.withLock { nodes in
      nodes[room]?[annex] = nil
      if nodes[room]?.isEmpty == true { nodes[room] = nil }
    }
  }

  /// Returns the node of an annex; nil if the annex has ended.
  func node(of annex: MediaAnnexID, in room: RoomName) -> Incarnation? { nodes.withLock { $0[room]?[annex] } }
}
