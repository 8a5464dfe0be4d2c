import RoomLinkModel
import RoomProtocol
import RoomRTP
import Testing

@testable import RoomCluster

@Suite("Placement of new rooms")
struct PlacingRoomsTests {
  private static let ten = (0..<10).map { Placement.Node(.node($0)) }

  @Test("fills empty nodes evenly")
  func balance() throws {
    var stand = Stand(Self.ten)
    var counts: [NodeID: Int] = [:]
    for _ in 0..<500 { counts[try stand.place(), default: 0] += 1 }
    #expect(counts.count == 10)
    #expect(counts.values.allSatisfy { (45...55).contains($0) }, "\(counts)")
  }

  @Test("gives a node of twice the size twice the rooms")
  func sizes() throws {
    let large = NodeResources(packets: 200_000, mixCores: 4, memory: 16e9, rooms: 2000)
    var stand = Stand([Placement.Node("small"), Placement.Node("large", capacity: large)])
    var counts: [NodeID: Int] = [:]
    for _ in 0..<150 { counts[try stand.place(), default: 0] += 1 }
    #expect((46...54).contains(counts["small", default: 0]), "\(counts)")
  }

  @Test("many nodes with the same old reports do not fill the emptiest node")
  func staleReports() throws {
    // A new, empty node among others at 60 %; a hundred nodes place two rooms each before anybody reports again.
    let reports = (0..<20).map { Placement.Node(.node($0), used: 0.6) } + [Placement.Node("new")]
    var counts: [NodeID: Int] = [:]
    for placer in 0..<100 {
      var stand = Stand(seed: UInt64(placer), reports)
      for _ in 0..<2 { counts[try stand.place(), default: 0] += 1 }
    }
    // Drawn with a probability of 1/9, it wins each comparison: 21 % of 200. It has room for 85.
    #expect((20...65).contains(counts["new", default: 0]), "\(counts)")
    #expect(counts.filter { $0.key != "new" }.values.allSatisfy { $0 <= 25 }, "\(counts)")
  }

  @Test("counts its own rooms until the node reports them")
  func promises() throws {
    var stand = Stand([Placement.Node("a", used: 0.005), Placement.Node("b", used: 0.505)])
    // Up to 85 %, 84 and 34 rooms fit. Then both are full, although no node has reported since.
    for _ in 0..<118 { _ = try stand.place() }
    #expect(stand.refusal() == .full(.packets))
    // A report that was made before the rooms arrived does not clear them; the next one does.
    stand.now = stand.now.advanced(milliseconds: 500)
    stand.placement.update(Placement.Node("a"), at: stand.now)
    #expect(stand.refusal() == .full(.packets))
    stand.now = stand.now.advanced(milliseconds: 1000)
    stand.placement.update(Placement.Node("a", used: 0.805), at: stand.now)
    #expect(try stand.place() == "a")
  }

  @Test("stays in the region while a node there has headroom, and leaves it then")
  func region() throws {
    var stand = Stand([Placement.Node("west", in: "west", used: 0.805), Placement.Node("east", in: "east")])
    for _ in 0..<4 { #expect(try stand.place(in: "west") == "west") }
    #expect(try stand.place(in: "west") == "east")
    #expect(try stand.place(in: "north") == "east")
  }

  @Test("gives a draining node nothing")
  func draining() throws {
    var stand = Stand([Placement.Node("leaving", accepts: false), Placement.Node("staying", used: 0.805)])
    for _ in 0..<4 { #expect(try stand.place() == "staying") }
    #expect(stand.refusal() == .full(.packets))
    stand.placement.remove("staying")
    #expect(stand.refusal() == .draining)
  }

  @Test("ignores a node that no longer reports")
  func silent() throws {
    var stand = Stand([Placement.Node("silent"), Placement.Node("alive", used: 0.5)])
    stand.now = stand.now.advanced(milliseconds: 6000)
    stand.placement.update(Placement.Node("alive", used: 0.5), at: stand.now)
    for _ in 0..<10 { #expect(try stand.place() == "alive") }
    stand.placement.removeStale(at: stand.now)
    stand.placement.remove("alive")
    #expect(stand.refusal() == .noNode)
  }

  @Test("refuses with the scarce resource, or if the room fits no node")
  func full() {
    var stand = Stand()
    #expect(stand.refusal() == .noNode)
    var load = NodeResources(packets: 1000, mixCores: 1.6, memory: 1e9, rooms: 10)
    let report = Placement.Node("a", in: "west", accepts: true, capacity: .node, load: load)
    stand.placement.update(report, at: stand.now)
    #expect(stand.refusal(of: NodeResources(packets: 10, mixCores: 0.3, rooms: 1)) == .full(.mixCores))
    #expect(stand.refusal(of: NodeResources(packets: 10, rooms: 1)) == nil)
    #expect(stand.refusal(of: NodeResources(packets: 90_000, rooms: 1)) == .tooLarge(.packets))
    load = NodeResources(rooms: 900)
    stand.placement.update(
      Placement.Node("a", in: "west", accepts: true, capacity: .node, load: load), at: stand.now)
    #expect(stand.refusal() == .full(.rooms))
    #expect("\(PlacementRefusal.full(.rooms))" == "all nodes are full: rooms")
  }

  @Test("a node without mix cores opens rooms without mixes")
  func withoutMixes() throws {
    let plain = NodeResources(packets: 100_000, memory: 8e9, rooms: 1000)
    var stand = Stand([Placement.Node("plain", capacity: plain)])
    #expect(try stand.place() == "plain")
    #expect(stand.refusal(of: NodeResources(packets: 1, mixCores: 0.1, rooms: 1)) == .tooLarge(.mixCores))
  }

  @Test("survives reports with any numbers, invalid names, and too many nodes")
  func hostileReports() throws {
    let numbers = [0, -1, .nan, .infinity, -.infinity, 1e300, 5]
    var stand = Stand()
    for (index, number) in numbers.enumerated() {
      let resources = NodeResources(packets: number, mixCores: number, memory: number, rooms: number)
      for capacity in [resources, .node] {
        stand.placement.update(
          Placement.Node(.node(index), in: "west", accepts: true, capacity: capacity, load: resources), at: stand.now)
        _ = stand.refusal()
        _ = stand.claims(on: "room")
      }
    }
    for report in [Placement.Node("a", in: ""), Placement.Node("a", in: "a b")] {
      let isTaken = stand.placement.update(report, at: stand.now)
      #expect(!isTaken)
    }
    stand.placement.rules.nodes = 3
    stand.placement.removeStale(at: .second(100))
    stand.now = .second(100)
    let updates = Self.ten.map { stand.placement.update($0, at: stand.now) }
    #expect(updates.filter { $0 }.count == 3)
  }

  @Test("a capacity that is no number attracts no rooms, and such a load counts as full")
  func invalidNumbers() throws {
    var stand = Stand([Placement.Node("normal", used: 0.8)])
    for (index, number) in [Double.nan, .infinity].enumerated() {
      let broken = NodeResources(packets: number, mixCores: 2, memory: 8e9, rooms: 1000)
      let isTaken = stand.placement.update(
        Placement.Node("broken", in: "west", accepts: true, capacity: broken, load: NodeResources()), at: stand.now)
      #expect(!isTaken)
      stand.placement.update(
        Placement.Node(.node(index), in: "west", accepts: true, capacity: .node, load: NodeResources(packets: number)),
        at: stand.now)
    }
    for _ in 0..<4 { #expect(try stand.place() == "normal") }
  }

  @Test("the same reports and the same seed give the same nodes, in any order of the reports")
  func reproducible() throws {
    var orders: [[NodeID]] = []
    for reports in [Self.ten, Self.ten.reversed(), Self.ten.shuffled()] {
      var stand = Stand(seed: 7, reports)
      orders.append(try (0..<50).map { _ in try stand.place() })
    }
    #expect(orders[0] == orders[1] && orders[1] == orders[2])
  }
}
