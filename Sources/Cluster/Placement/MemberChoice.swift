import RoomProtocol
import RoomRTP

extension Placement {
  /// Chooses the member that opens a new room: the better of two, drawn in proportion to their headroom.
  ///
  /// Members report one figure, the free part of their capacity, so all of them count as nodes of the same size.
  /// - Parameters:
  ///   - region: the preferred region.
  ///   - generator: the source of randomness.
  /// - Throws: the reason why no member can open the room.
  public static func member(
    of membership: Membership, in region: String, using generator: inout some RandomNumberGenerator
  ) throws(PlacementRefusal) -> ClusterMember {
    let now = Instant(microseconds: 0)
    var placement = Placement()
    var members: [NodeID: ClusterMember] = [:]
    // A node that entered again replaces its earlier incarnation.
    for member in membership.members.values.sorted(by: { $0.incarnation.epoch < $1.incarnation.epoch }) {
      members[member.incarnation.node] = member
      placement.update(Node(member), at: now)
    }
    let name = try placement.choose(for: NodeResources(), in: Region(named: region), at: now, using: &generator)
    guard let member = members[name] else { throw .noNode }
    return member
  }
}

extension Placement.Node {
  fileprivate init(_ member: ClusterMember) {
    let used = 1 - min(1, max(0, member.report.headroom))
    self.init(
      member.incarnation.node, in: Region(named: member.report.region), accepts: member.report.headroom > 0,
      capacity: NodeResources(packets: 1), load: NodeResources(packets: used))
  }
}

extension Region {
  /// The region of a member, which may have none.
  fileprivate init(named text: String) { self.init(NameRule.allows(text) ? text : "-") }
}
