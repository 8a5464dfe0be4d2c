import RoomCluster
import Testing

@testable import RoomClusterServer
@testable import RoomServer

@Suite("Nodes that are asked to open a room")
struct RoomCandidatesTests {
  private func member(_ number: Int, headroom: Double, rooms: Int) -> ClusterMember {
    let nodes: [NodeID] = ["n0", "n1", "n2", "n3"]
    return ClusterMember(
      Incarnation(node: nodes[number], epoch: Int64(number), process: UInt64(number)), beat: 1, seen: 1,
      report: NodeReport(address: "http://n\(number)", headroom: headroom, rooms: rooms))
  }

  private func names(_ members: [ClusterMember], first: ClusterMember?) -> [String] {
    let membership = Membership(members: Dictionary(uniqueKeysWithValues: members.map { ($0.incarnation, $0) }))
    return ClusterRouting.candidates(of: membership, first: first).map { "\($0.incarnation.node)" }
  }

  @Test("a node that drains is not the only one, even if all others are full")
  func full() {
    // The first drains: it has neither headroom nor rooms.
    let members = [member(1, headroom: 0, rooms: 0), member(2, headroom: 0, rooms: 6), member(3, headroom: 0, rooms: 5)]
    #expect(names(members, first: nil) == ["n1", "n3", "n2"])
  }

  @Test("after the chosen node those with the most headroom, three at most")
  func order() {
    let members = [0.1, 0.4, 0.3, 0.2].enumerated().map { member($0.offset, headroom: $0.element, rooms: 1) }
    #expect(names(members, first: members[0]) == ["n0", "n1", "n2"])
    #expect(names([], first: nil).isEmpty)
  }
}
