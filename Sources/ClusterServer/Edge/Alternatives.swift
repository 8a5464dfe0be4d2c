import RoomCluster
import RoomEngine
import RoomProtocol
import RoomServer

/// The other nodes at which a client of an edge can continue its session: another edge in the region, and the room's owner.
struct Alternatives: Sendable {
  let members: [ClusterMember]

  init(members: [ClusterMember]) { self.members = members }

  /// - Parameter owner: the node that owns the room.
  init(to owner: ClusterMember, at cluster: Cluster) {
    var generator = SystemRandomNumberGenerator()
    self.init(to: owner, of: cluster.node.id, among: cluster.node.membership, using: &generator)
  }

  init(to owner: ClusterMember, of node: NodeID, among members: Membership, using generator: inout some RandomNumberGenerator) {
    // By name: a node that has lost its lease has no incarnation, and the list has its last one.
    let region = members.members.values.first { $0.incarnation.node == node }?.report.region ?? ""
    var edges = members
    edges.members = members.members.filter { incarnation, member in
      incarnation.node != node && incarnation != owner.incarnation && member.report.edge == true
        && member.report.region == region && member.report.headroom > 0
    }
    let edge = try? Placement.member(of: edges, in: region, using: &generator)
    self.members = (edge.map { [$0] } ?? []) + [owner]
  }

  var urls: [String] { members.compactMap { Cluster.signallingURL(of: $0) } }

  /// The headers of an answer to a watch page, which continues there.
  /// - Parameter leave: whether it should do so now.
  func headers(leave: Bool) -> [(name: String, value: String)] {
    [
      ("Roomserver-Alternatives", ([leave ? "leave" : "stay"] + urls).joined(separator: " ")),
      ("Access-Control-Expose-Headers", "Roomserver-Alternatives"),
    ]
  }

  /// Sends them to a client.
  /// - Parameter leave: whether it should continue there now.
  func send(to channel: any SignalChannel, leave: Bool) {
    guard let event = try? SignalWriter.event(.alternatives(AlternativesData(urls: urls, leave: leave))) else { return }
    channel.send(event)
  }
}
