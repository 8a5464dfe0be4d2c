import RoomLinkModel
import RoomRTP
import Testing

@testable import RoomCluster

@Suite("The member that opens a new room")
struct MemberChoiceTests {
  private static func membership(_ reports: [(NodeID, NodeReport)]) -> Membership {
    let members = reports.enumerated().map { epoch, report in
      ClusterMember(Incarnation(node: report.0, epoch: Int64(epoch + 1), process: 1), beat: 1, seen: 1, report: report.1)
    }
    return Membership(
      epoch: Int64(members.count), members: Dictionary(uniqueKeysWithValues: members.map { ($0.incarnation, $0) }))
  }

  private static func choices(_ membership: Membership, in region: String = "", count: Int = 400) throws -> [NodeID: Int] {
    var generator = SeededGenerator(seed: 5)
    var counts: [NodeID: Int] = [:]
    for _ in 0..<count {
      counts[try Placement.member(of: membership, in: region, using: &generator).incarnation.node, default: 0] += 1
    }
    return counts
  }

  @Test("is not always the emptiest one") func spread() throws {
    let others = (0..<20).map { (NodeID.node($0), NodeReport(address: "", headroom: 0.4)) }
    let counts = try Self.choices(Self.membership(others + [("new", NodeReport(address: "", headroom: 1))]))
    #expect((60...140).contains(counts["new", default: 0]), "\(counts)")
    #expect(counts.count == 21)
  }

  @Test("is in the own region while that has headroom") func region() throws {
    let membership = Self.membership([
      ("west", NodeReport(address: "", region: "west", headroom: 0.2)), ("east", NodeReport(address: "", region: "east")),
      ("full", NodeReport(address: "", region: "north", headroom: 0.1)), ("odd", NodeReport(address: "", region: "a b")),
    ])
    #expect(try Self.choices(membership, in: "west").keys.sorted() == ["west"])
    #expect(try Self.choices(membership, in: "north")["full"] == nil)
    #expect(try Self.choices(membership, in: "").keys.sorted() == ["odd"])
  }

  @Test("is never one that drains; a node counts by its last entry") func drains() throws {
    let membership = Self.membership([
      ("again", NodeReport(address: "old", headroom: 0)), ("drains", NodeReport(address: "", headroom: 0)),
      ("again", NodeReport(address: "new", headroom: 0.5)),
    ])
    var generator = SeededGenerator(seed: 1)
    #expect(try Placement.member(of: membership, in: "", using: &generator).report.address == "new")
    #expect(throws: PlacementRefusal.draining) {
      try Placement.member(of: Self.membership([("a", NodeReport(address: "", headroom: 0))]), in: "", using: &generator)
    }
    #expect(throws: PlacementRefusal.full(.packets)) {
      try Placement.member(of: Self.membership([("a", NodeReport(address: "", headroom: 0.1))]), in: "", using: &generator)
    }
    #expect(throws: PlacementRefusal.noNode) { try Placement.member(of: Membership(), in: "", using: &generator) }
  }
}
