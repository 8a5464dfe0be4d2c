import RoomCluster
import RoomRTP
import RoomTestSupport
import Testing

@Suite("The tree of a room's edges")
struct RelayTreeTests {
  typealias Tree = RelayTree<Int>

  /// Checks that each edge receives from the root over some others, and that no node sends more copies than it may.
  static func check(_ tree: Tree, relays: Int, sourceLocation: SourceLocation = #_sourceLocation) {
    var reached: Set<Int> = []
    var level = tree.children(of: nil)
    while !level.isEmpty {
      for edge in level { #expect(reached.insert(edge).inserted, "\(edge) twice", sourceLocation: sourceLocation) }
      level = level.flatMap { tree.children(of: $0) }
    }
    #expect(reached.count == tree.count, sourceLocation: sourceLocation)
    for edge in tree.edges { #expect(tree.children(of: edge).count <= tree.fanOut, sourceLocation: sourceLocation) }
    if relays > 0 { #expect(tree.children(of: nil).count <= tree.fanOut, sourceLocation: sourceLocation) }
  }

  @Test("the root sends to a few, and these to the others")
  func levels() {
    var tree = Tree(fanOut: 2)
    for edge in 1...2 { #expect(tree.add(edge, at: .init()) == [.init(edge, under: nil)]) }
    for (edge, parent) in [(3, 1), (4, 1), (5, 2), (6, 2)] {
      #expect(tree.add(edge, at: .init()) == [.init(edge, under: parent)])
    }
    #expect(tree.depth == 2)
    // One orphan takes the place of the relay that died; the other one is below it.
    #expect(tree.remove(1) == [.init(3, under: nil), .init(4, under: 3)])
    Self.check(tree, relays: 5)
  }

  @Test("each region gets one copy over its line, and spreads it itself")
  func regions() {
    var tree = Tree(fanOut: 2)
    for edge in 1...4 { _ = tree.add(edge, at: .init(region: "east", roundTrip: 1_000)) }
    let moves = tree.add(5, at: .init(region: "west", roundTrip: 80_000))
    #expect(moves.first == .init(5, under: nil), "the first of its region is fed by the root: \(moves)")
    for edge in 6...8 { _ = tree.add(edge, at: .init(region: "west", roundTrip: 81_000)) }
    for edge in 6...8 {
      var parent = tree.parent(of: edge)
      while let above = parent, above != 5 { parent = tree.parent(of: above) }
      #expect(parent == 5)
    }
    Self.check(tree, relays: 8)
  }

  @Test("an edge that drains loses its children; one without capacity makes room for one that has some")
  func capacity() {
    var tree = Tree(fanOut: 2)
    for edge in 1...6 { _ = tree.add(edge, at: .init()) }
    let moves = tree.update(1, to: .init(canRelay: false))
    #expect(Set(moves.map(\.edge)) == [3, 4])
    #expect(tree.children(of: 1).isEmpty)
    Self.check(tree, relays: 5)

    var weak = Tree(fanOut: 2)
    for edge in 1...3 { _ = weak.add(edge, at: .init(canRelay: false)) }
    #expect(weak.children(of: nil) == [1, 2, 3], "nobody is left without")
    #expect(weak.add(4, at: .init()) == [.init(4, under: nil), .init(1, under: 4), .init(2, under: 4)])
  }

  @Test("an edge that its parent can't reach gets another one; who is not its parent changes nothing")
  func separation() {
    var tree = Tree(fanOut: 2)
    for edge in 1...4 { _ = tree.add(edge, at: .init()) }
    #expect(tree.parent(of: 3) == 1)
    let now = Instant.second(1)
    for (edge, parent) in [(3, 2), (1, 2), (9, 1)] { #expect(tree.separate(edge, from: parent, now: now) == []) }
    #expect(tree.separate(3, from: 1, now: now) == [.init(3, under: 2)])
    #expect(tree.remove(2) == [.init(3, under: nil)], "not under 1, which has a place")
    #expect(tree.separate(4, from: 1, now: now) == [.init(4, under: 3)])
    #expect(tree.remove(3) == [.init(4, under: nil)])
    Self.check(tree, relays: 2)
  }

  @Test("separated edges may feed each other again after a minute, and after two the next time")
  func reunited() {
    var tree = Tree(fanOut: 1)
    for edge in 1...2 { _ = tree.add(edge, at: .init()) }
    // The root sends one copy too many meanwhile.
    #expect(tree.separate(2, from: 1, now: .second(0)) == [.init(2, under: nil)])
    #expect(tree.advance(to: .second(59)) == [])
    #expect(tree.advance(to: .second(60)).count == 1)
    let moved = tree.parent(of: 2) == nil ? (1, 2) : (2, 1)
    #expect(tree.parent(of: moved.0) == moved.1)
    #expect(tree.separate(moved.0, from: moved.1, now: .second(100)) == [.init(moved.0, under: nil)])
    #expect(tree.advance(to: .second(219)) == [] && tree.advance(to: .second(220)).count == 1)
  }

  @Test("no series of joins, leaves and deaths makes a loop, or a node that sends too much")
  func simulated() {
    var random = SeededGenerator(seed: 36)
    for fanOut in [1, 2, 8] {
      var tree = Tree(fanOut: fanOut)
      var capable: [Int: Bool] = [:]
      // As a room has them, which carries out the moves one by one.
      var parents: [Int: Int] = [:]
      for step in 0..<2_000 {
        let place = Tree.Place(
          region: "\(Int.random(in: 0..<4, using: &random))", roundTrip: .random(in: 0...200_000, using: &random),
          canRelay: Int.random(in: 0..<8, using: &random) > 0)
        let known = capable.keys.sorted().randomElement(using: &random)
        let moves: [Tree.Move]
        switch Int.random(in: 0..<11, using: &random) {
        case 0..<5 where capable.count < 60:
          moves = tree.add(step, at: place)
          capable[step] = place.canRelay
        case 5..<9:
          guard let known else { continue }
          moves = tree.remove(known)
          capable[known] = nil
          parents[known] = nil
        case 9:
          guard let known, let parent = tree.parent(of: known) else { continue }
          moves = tree.separate(known, from: parent, now: .second(Double(step)))
        default:
          guard let known else { continue }
          moves = tree.update(known, to: place)
          capable[known] = place.canRelay
        }
        for move in moves {
          #expect(tree.parent(of: move.edge) == move.parent)
          var above = move.parent
          while let parent = above, parent != move.edge { above = parents[parent] }
          #expect(above == nil, "a loop")
          parents[move.edge] = move.parent
        }
        for edge in tree.edges { #expect(parents[edge] == tree.parent(of: edge)) }
        #expect(Set(moves.map(\.edge)).count == moves.count)
        Self.check(tree, relays: 0)
      }
    }
  }
}
