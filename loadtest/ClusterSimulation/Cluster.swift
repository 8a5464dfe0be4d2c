import RoomCluster
import RoomProtocol

/// The cluster as it is, unlike what reports say of it.
struct Cluster {
  struct Node {
    let name: NodeID
    let region: Region
    var load = NodeResources()
    var isAlive = true
    var accepts = true
    /// What it reported last.
    var report: Placement.Node
  }

  /// The viewers of a room at one node. The first share of a room is that of its owner.
  struct Share {
    var node: Int
    var viewers: Int
    /// The viewers up to which the node serves the room; then another node is chosen.
    var limit: Int
  }

  struct Room {
    let name: RoomName
    let region: Region
    let mixes: Bool
    /// The viewers that want to watch.
    let audience: Int
    var shares: [Share]
    /// The viewers that are not served yet.
    var waiting: Int
    /// Those of them that join in a second.
    var joinsPerSecond = 0
    /// Whether the simulation lets them join.
    var isQueued = false
    /// Whether they were served before.
    var isReturning = false

    var owner: Int { shares[0].node }
  }

  let costs: Costs
  var nodes: [Node] = []
  /// Nil: the room has ended, or has no owner at present.
  var rooms: [Room?] = []
  private var indices: [NodeID: Int] = [:]

  init(nodes count: Int, costs: Costs) {
    self.costs = costs
    var sum = 0.0
    for (region, share) in Population.regions.enumerated() {
      sum += share
      while Double(nodes.count) < (sum * Double(count)).rounded() {
        guard let name = NodeID("node-\(nodes.count)") else { return }
        let home = Region("region-\(region)")
        indices[name] = nodes.count
        nodes.append(
          Node(
            name: name, region: home,
            report: Placement.Node(name, in: home, accepts: true, capacity: costs.node, load: NodeResources())))
      }
    }
  }

  func index(of name: NodeID) -> Int? { indices[name] }

  /// The share of a node's capacity that is used.
  func used(_ node: Int) -> Double { costs.node.share(of: nodes[node].load) }

  /// Returns whether a node has room for a load below a share of its capacity.
  func fits(_ load: NodeResources, on node: Int, below fill: Double) -> Bool {
    nodes[node].isAlive && costs.node.share(of: nodes[node].load + load) <= fill
  }

  // MARK: Load

  private func load(of room: Room, share index: Int) -> NodeResources {
    let share = room.shares[index]
    guard index == 0 else { return costs.edge(viewers: share.viewers) }
    return costs.owner(viewers: share.viewers, links: room.shares.count - 1, mixes: room.mixes)
  }

  /// Adds a room's load to its nodes.
  mutating func enter(_ room: Room) {
    for index in room.shares.indices { nodes[room.shares[index].node].load += load(of: room, share: index) }
  }

  /// Removes a room's load from its nodes.
  mutating func leave(_ room: Room) {
    for index in room.shares.indices { nodes[room.shares[index].node].load -= load(of: room, share: index) }
  }

  // MARK: Viewers

  /// Serves waiting viewers of a room at the nodes that have it already.
  mutating func fill(_ room: inout Room) {
    for index in room.shares.indices where room.waiting > 0 {
      let node = room.shares[index].node
      guard nodes[node].isAlive else { continue }
      let free = costs.node[.packets] * costs.joinFill - nodes[node].load[.packets]
      let count = min(
        room.waiting, room.shares[index].limit - room.shares[index].viewers, Int(max(0, free) / costs.packetsPerViewer))
      guard count > 0 else { continue }
      nodes[node].load -= load(of: room, share: index)
      room.shares[index].viewers += count
      nodes[node].load += load(of: room, share: index)
      room.waiting -= count
    }
  }

  /// Makes a node serve viewers of a room, or more viewers of a room that it has already.
  mutating func addShare(of room: inout Room, at node: Int) {
    if let index = room.shares.firstIndex(where: { $0.node == node }) {
      room.shares[index].limit += costs.viewersPerShare
      fill(&room)
      return
    }
    nodes[room.owner].load -= load(of: room, share: 0)
    room.shares.append(Share(node: node, viewers: 0, limit: costs.viewersPerShare))
    nodes[room.owner].load += load(of: room, share: 0)
    nodes[node].load += load(of: room, share: room.shares.count - 1)
    fill(&room)
  }
}
