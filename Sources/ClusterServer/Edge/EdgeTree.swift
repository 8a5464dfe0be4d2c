import RoomCluster
import RoomLinux
import RoomRTP
import RoomSFU

/// The edges of a room, and from which node each gets its tracks.
struct EdgeTree {
  typealias Place = RelayTree<Incarnation>.Place

  private struct Member {
    var id: MediaAnnexID
    var edge: HostedEdge
    var place: Place
    /// Whether the edge has no clients of its own, and need not stay.
    var isIdle = false
    /// Whether nothing arrives over the link to the node.
    var isSilent = false
  }

  private let media: MediaRoom
  private var tree: RelayTree<Incarnation>
  private var members: [Incarnation: Member] = [:]

  init(of media: MediaRoom, fanOut: Int) {
    self.media = media
    tree = RelayTree(fanOut: fanOut)
  }

  var isEmpty: Bool { members.isEmpty }
  /// Copies of tracks that this node sends to edges.
  var copies: Int { members.values.reduce(0) { $0 + $1.edge.copies } }

  /// Returns what the edge at a node is in the room's media.
  func annex(of node: Incarnation) -> MediaAnnexID? { members[node]?.id }

  /// Adds an edge, before any track is linked to it. One of the same process of a node is replaced.
  mutating func add(_ edge: HostedEdge, _ id: MediaAnnexID, at place: Place) {
    apply(tree.remove(edge.node))
    members.updateValue(Member(id: id, edge: edge, place: place), forKey: edge.node)?.edge.replace()
    apply(tree.add(edge.node, at: place))
  }

  /// Removes an edge, unless another one has replaced it.
  mutating func remove(_ node: Incarnation, _ id: MediaAnnexID) {
    guard members[node]?.id == id else { return }
    apply(tree.remove(node))
    members[node] = nil
  }

  mutating func setIdle(_ isIdle: Bool, at node: Incarnation) { change(node) { $0.isIdle = isIdle } }

  /// Takes what the links of this node measure. A silent edge feeds nobody.
  mutating func take(silent: Set<Incarnation>, _ roundTrip: (Incarnation) -> Int64) {
    apply(tree.advance(to: .now))
    for (node, member) in members where member.isSilent != silent.contains(node) || member.place.roundTrip == 0 {
      change(node) { ($0.isSilent, $0.place.roundTrip) = (silent.contains(node), roundTrip(node)) }
    }
  }

  private mutating func change(_ node: Incarnation, _ body: (inout Member) -> Void) {
    guard var member = members[node] else { return }
    body(&member)
    members[node] = member
    var place = member.place
    place.canRelay = place.canRelay && !member.isIdle && !member.isSilent
    apply(tree.update(node, to: place))
  }

  /// Gives an edge another parent than the one that can't reach it. Returns false if that is not its parent.
  mutating func separate(_ node: Incarnation, from parent: Incarnation) -> Bool {
    let moves = tree.separate(node, from: parent, now: .now)
    apply(moves)
    return !moves.isEmpty
  }

  private func apply(_ moves: [RelayTree<Incarnation>.Move]) {
    for move in moves {
      if let id = annex(of: move.edge) { media.place(id, under: move.parent.flatMap { annex(of: $0) }) }
    }
  }
}
