import RoomCluster
import RoomSFU

/// The edges of a room, and from which node each gets its tracks.
struct EdgeTree {
  private var tree: RelayTree<Incarnation>
  private var edges: [Incarnation: (id: MediaAnnexID, edge: HostedEdge)] = [:]

  init(fanOut: Int) { tree = RelayTree(fanOut: fanOut) }

  var isEmpty: Bool { edges.isEmpty }
  /// Copies of tracks that this node sends to edges.
  var copies: Int { edges.values.reduce(0) { $0 + $1.edge.copies } }

  /// Returns what the edge at a node is in the room's media.
  func annex(of node: Incarnation) -> MediaAnnexID? { edges[node]?.id }

  /// Adds an edge, before any track is linked to it. One of the same process of a node is replaced.
  mutating func add(_ edge: HostedEdge, _ id: MediaAnnexID, at place: RelayTree<Incarnation>.Place, in media: MediaRoom) {
    apply(tree.remove(edge.node), in: media)
    edges[edge.node] = (id, edge)
    apply(tree.add(edge.node, at: place), in: media)
  }

  /// Removes an edge, unless another one has replaced it.
  mutating func remove(_ node: Incarnation, _ id: MediaAnnexID, in media: MediaRoom) {
    guard edges[node]?.id == id else { return }
    apply(tree.remove(node), in: media)
    edges[node] = nil
  }

  mutating func update(_ node: Incarnation, to place: RelayTree<Incarnation>.Place, in media: MediaRoom) {
    apply(tree.update(node, to: place), in: media)
  }

  private func apply(_ moves: [RelayTree<Incarnation>.Move], in media: MediaRoom) {
    for move in moves {
      if let id = annex(of: move.edge) { media.place(id, under: move.parent.flatMap { annex(of: $0) }) }
    }
  }
}
