import RoomLinkModel
import RoomProtocol
import RoomRTP
import Testing

@testable import RoomCluster

@Suite("Rooms of a dead node")
struct ClaimsTests {
  private static let rooms = (0..<2000).map { RoomName("room-\($0)") }
  private static let nodes = (0..<20).map { Placement.Node(.node($0), used: 0.5) }

  private func counts(_ stand: Stand, in region: Region? = nil) -> [NodeID: Int] {
    Self.rooms.reduce(into: [:]) { counts, room in
      if let node = stand.claims(on: room, in: region).first { counts[node, default: 0] += 1 }
    }
  }

  @Test("spread over all live nodes")
  func spread() {
    let counts = counts(Stand(Self.nodes))
    #expect(counts.count == 20)
    #expect(counts.values.allSatisfy { (65...140).contains($0) }, "\(counts)")
  }

  @Test("go to nodes in proportion to what is free")
  func weights() {
    // 75 % and 25 % of the eighths are free.
    let stand = Stand([Placement.Node("empty", used: 0.2), Placement.Node("full", used: 0.7)])
    #expect((1430...1570).contains(counts(stand)["empty", default: 0]))
  }

  @Test("every node computes the same order, in any order of the reports")
  func agreement() {
    let here = Stand(Self.nodes)
    let there = Stand(Self.nodes.shuffled())
    for room in Self.rooms.prefix(200) {
      let nodes = here.claims(on: room)
      #expect(nodes.count == 3 && Set(nodes).count == 3)
      #expect(nodes == there.claims(on: room))
    }
  }

  @Test("reports of different age change few orders")
  func differentAge() {
    var generator = SeededGenerator(seed: 3)
    let here = Stand(Self.nodes)
    let there = Stand(Self.nodes.map { Placement.Node($0.name, used: 0.5 + 0.02 * generator.fraction()) })
    let same = Self.rooms.filter { here.claims(on: $0).first == there.claims(on: $0).first }
    #expect(Double(same.count) / Double(Self.rooms.count) > 0.8)
    // If the first nodes differ, the one is nearly always among the other's candidates.
    let compatible = Self.rooms.filter { room in here.claims(on: room).first.map(there.claims(on: room).contains) ?? false }
    #expect(Double(compatible.count) / Double(Self.rooms.count) > 0.98)
  }

  @Test("another death moves only the rooms of that node")
  func fewMoves() {
    var stand = Stand(Self.nodes)
    let before = Self.rooms.map { stand.claims(on: $0).first }
    stand.placement.remove("node-3")
    let after = Self.rooms.map { stand.claims(on: $0).first }
    for (was, now) in zip(before, after) where was != "node-3" { #expect(was == now) }
    let moved = zip(before, after).filter { $0.0 == "node-3" }.map(\.1)
    #expect(Set(moved).count > 15)
  }

  @Test("stay in the region, with candidates elsewhere behind")
  func region() {
    let east = (0..<5).map { Placement.Node(.node(100 + $0), in: "east", used: 0.5) }
    let stand = Stand(Self.nodes + east)
    for room in Self.rooms.prefix(100) {
      let nodes = stand.claims(on: room, in: "east")
      #expect(nodes.count == 6)
      #expect(nodes.prefix(3).allSatisfy(east.map(\.name).contains))
      #expect(nodes.suffix(3).allSatisfy(Self.nodes.map(\.name).contains))
    }
    // All nodes of a lost region share its rooms.
    let counts = counts(stand, in: "south")
    #expect(counts.count == 25)
  }

  @Test("do not go to a draining, silent, full or dead node")
  func unavailable() {
    let reporting = [
      Placement.Node("draining", accepts: false), Placement.Node("full", used: 0.95), Placement.Node("dead"),
      Placement.Node("alive", used: 0.9),
    ]
    var stand = Stand(reporting + [Placement.Node("silent")])
    stand.now = stand.now.advanced(milliseconds: 7000)
    for report in reporting { stand.placement.update(report, at: stand.now) }
    for room in Self.rooms.prefix(50) { #expect(stand.claims(on: room) == ["alive"]) }
  }

  @Test("candidates claim one after the other, and those in other regions later")
  func delays() {
    let stand = Stand(Self.nodes + (0..<3).map { Placement.Node(.node(100 + $0), in: "east") })
    func delays(in region: Region?) -> [Int64] {
      stand.placement.claims(on: "lounge", needing: .room, in: region, except: "dead", at: stand.now).map(\.delay)
    }
    #expect(delays(in: nil) == [0, 250_000, 500_000])
    #expect(delays(in: "east") == [0, 250_000, 500_000, 1_250_000, 1_500_000, 1_750_000])
    // Nobody is left in the region to wait for.
    #expect(delays(in: "south") == [0, 250_000, 500_000])
  }

  @Test("another attempt has other candidates")
  func attempts() {
    let stand = Stand(Self.nodes)
    let same = Self.rooms.filter { stand.claims(on: $0).first == stand.claims(on: $0, attempt: 1).first }
    #expect(same.count < 200)
  }

  @Test("the hash of a name is the same in each process")
  func hash() {
    #expect(Rendezvous.hash("lounge") == 0x9F9B_0413_A05A_CF15)
  }
}
