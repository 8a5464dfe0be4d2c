import NIOCore
import RoomCluster
import RoomEngine
import RoomRTP
import RoomServer
import Testing

@testable import RoomClusterServer

@Suite("Where the clients of an edge continue")
struct AlternativesTests {
  private func member(_ node: NodeID, region: String = "a", headroom: Double = 0.5, edge: Bool? = true) -> ClusterMember {
    ClusterMember(
      Incarnation(node: node, epoch: 1, process: 1), beat: 1, seen: 1,
      report: NodeReport(address: "http://\(node)", region: region, headroom: headroom, edge: edge))
  }

  private func urls(_ others: ClusterMember...) -> [String] {
    let owner = member("owner", region: "b", headroom: 0)
    let members = others + [owner, member("own")]
    let membership = Membership(members: Dictionary(uniqueKeysWithValues: members.map { ($0.incarnation, $0) }))
    var generator = SystemRandomNumberGenerator()
    return Alternatives(to: owner, of: "own", among: membership, using: &generator).urls
  }

  private static let owner = "ws://owner/v1/signal"

  @Test("another edge in the same region with headroom, and the owner; else the owner alone")
  func members() {
    #expect(urls(member("x")) == ["ws://x/v1/signal", Self.owner])
    #expect(urls() == [Self.owner])
    #expect(urls(member("far", region: "c"), member("full", headroom: 0), member("plain", edge: nil)) == [Self.owner])
  }

  @Test("a page learns them, and whether to leave now, by a header")
  func header() {
    let alternatives = Alternatives(members: [member("x"), member("y")])
    let values = [false, true].map { alternatives.headers(leave: $0).first { $0.name == "Roomserver-Alternatives" }?.value }
    #expect(values == ["stay ws://x/v1/signal ws://y/v1/signal", "leave ws://x/v1/signal ws://y/v1/signal"])
  }

  @Test("a drain waits for pages without a client of its own, for twelve seconds")
  func patience() {
    var clients = DepartingClients()
    let begin = Instant(microseconds: 1_000_000_000)
    #expect(!clients.waits(now: begin, isUsed: true))
    #expect(clients.takeDue(now: begin, isUsed: true).isEmpty && clients.waits(now: begin, isUsed: true))
    #expect(!clients.waits(now: begin, isUsed: false))
    for second in 1...11 {
      let now = begin.advanced(milliseconds: Int64(second) * 1000)
      _ = clients.takeDue(now: now, isUsed: true)
      #expect(clients.waits(now: now, isUsed: true))
    }
    let end = begin.advanced(milliseconds: 12_001)
    _ = clients.takeDue(now: end, isUsed: true)
    #expect(!clients.waits(now: end, isUsed: true))
    // Another drain, later.
    let later = begin.advanced(milliseconds: 60_000)
    _ = clients.takeDue(now: later, isUsed: true)
    #expect(clients.waits(now: later, isUsed: true))
  }
}
