import RoomCluster
import RoomLinkModel

/// One very large room: its edges join, come and go, and a region is lost. The tree is the servers' own (`RelayTree`).
struct Audience {
  struct Outcome {
    var fanOut: Int
    var edges = 0
    var depth = 0
    /// Copies of a track that the owner sends, and the most that any edge sends.
    var rootCopies = 0
    var mostCopies = 0
    /// Crossings from one region to another.
    var crossings = 0
    /// Time from the owner to the edges beyond that of a direct path, in ms.
    var delays: [Double] = []
    /// Of the region that was lost, and the other edges that got another parent.
    var lost = 0
    var moved = 0
    /// Joins, leaves, deaths and changes of capacity, the most moves for one of them, and the mean.
    var changes = 0
    var mostMoves = 0
    var moves = 0
    var deepest = 0
  }

  /// Round trips from the owner to the nodes of each region, in µs. The first one is the owner's.
  private static let regions: [Int64] = [500, 12_000, 35_000, 80_000, 90_000, 140_000, 180_000, 250_000]

  /// The edges of the tree for the rules, half as many to twice as many.
  static let smallTree = 24

  private var tree: RelayTree<Int>
  private var generator: SeededGenerator
  private var places: [Int: RelayTree<Int>.Place] = [:]
  private var edges: [Int] = []
  private var next = 0

  static func run(edges: Int, fanOut: Int, changes: Int, seed: UInt64) -> Outcome {
    var audience = Self(tree: RelayTree(fanOut: fanOut), generator: SeededGenerator(seed: seed))
    var outcome = Outcome(fanOut: fanOut, edges: edges, changes: changes)
    for _ in 0..<edges { _ = audience.join() }
    audience.check()
    audience.measure(&outcome)
    audience.loseRegion(&outcome)
    // Each change of a smaller tree concerns more of it, and takes less time.
    var small = Self(tree: RelayTree(fanOut: fanOut), generator: audience.generator)
    for _ in 0..<smallTree { _ = small.join() }
    small.churn(changes, &outcome)
    return outcome
  }

  private init(tree: RelayTree<Int>, generator: SeededGenerator) {
    self.tree = tree
    self.generator = generator
  }

  // MARK: Changes

  private mutating func join() -> [RelayTree<Int>.Move] {
    let region = Int.random(in: 0..<Self.regions.count, using: &generator)
    let roundTrip = Self.regions[region] + Int64.random(in: 0...2_000, using: &generator)
    next += 1
    let place = RelayTree<Int>.Place(region: "\(region)", roundTrip: roundTrip)
    places[next] = place
    edges.append(next)
    return tree.add(next, at: place)
  }

  private mutating func leave(_ index: Int) -> [RelayTree<Int>.Move] {
    let edge = edges[index]
    edges.swapAt(index, edges.count - 1)
    edges.removeLast()
    places[edge] = nil
    return tree.remove(edge)
  }

  private mutating func loseRegion(_ outcome: inout Outcome) {
    var moved: Set<Int> = []
    while let index = edges.firstIndex(where: { places[$0]?.region == "1" }) {
      moved.formUnion(leave(index).map(\.edge))
      outcome.lost += 1
    }
    outcome.moved = moved.intersection(edges).count
    check()
  }

  private mutating func churn(_ changes: Int, _ outcome: inout Outcome) {
    let size = edges.count
    for step in 0..<changes {
      let moves: [RelayTree<Int>.Move]
      switch Int.random(in: 0..<20, using: &generator) {
      case 0..<10 where edges.count < 2 * size: moves = join()
      case 0..<19 where edges.count > size / 2: moves = leave(Int.random(in: 0..<edges.count, using: &generator))
      default:
        let edge = edges[Int.random(in: 0..<edges.count, using: &generator)]
        guard var place = places[edge] else { continue }
        place.canRelay.toggle()
        places[edge] = place
        moves = tree.update(edge, to: place)
      }
      outcome.mostMoves = max(outcome.mostMoves, moves.count)
      outcome.moves += moves.count
      for move in moves {
        precondition(tree.parent(of: move.edge) == move.parent, "a move that the tree does not have")
        outcome.deepest = max(outcome.deepest, levels(of: move.edge))
      }
      if step % 1_000 == 0 { check() }
    }
    check()
  }

  // MARK: Rules

  /// Returns the number of levels from an edge to the root; ends the program in a loop.
  private func levels(of edge: Int) -> Int {
    var (levels, above) = (1, tree.parent(of: edge))
    while let parent = above {
      levels += 1
      precondition(levels <= tree.count, "a loop")
      above = tree.parent(of: parent)
    }
    return levels
  }

  /// Checks that each edge is reached once, and that no node sends more than it may.
  private func check() {
    var (level, reached) = (tree.children(of: nil), 0)
    let room = tree.fanOut * (1 + places.values.count { $0.canRelay })
    precondition(level.count <= tree.fanOut || tree.count > room, "the root sends too much")
    while !level.isEmpty {
      reached += level.count
      precondition(reached <= tree.count, "a loop")
      level = level.flatMap { edge in
        let children = tree.children(of: edge)
        precondition(
          children.count <= tree.fanOut && (children.isEmpty || places[edge]?.canRelay == true), "an edge sends too much")
        return children
      }
    }
    precondition(reached == tree.count && reached == edges.count, "an edge without a way to the root")
  }

  private func measure(_ outcome: inout Outcome) {
    outcome.depth = tree.depth
    outcome.rootCopies = tree.children(of: nil).count
    outcome.mostCopies = edges.map { tree.children(of: $0).count }.max() ?? 0
    outcome.crossings = edges.count { edge in
      (tree.parent(of: edge).flatMap { places[$0]?.region } ?? "0") != places[edge]?.region
    }
    outcome.delays = edges.map { edge in
      // Without what an expensive line counts for in the choice.
      Double(path(to: edge) - (places[edge]?.roundTrip ?? 0) / 2) / 1_000
    }.sorted()
  }

  /// The time from the root to an edge, in µs: the paths, and what each level adds.
  private func path(to edge: Int) -> Int64 {
    guard let place = places[edge] else { return 0 }
    guard let parent = tree.parent(of: edge), let above = places[parent] else { return place.roundTrip / 2 }
    let hop = above.region == place.region ? 500 : (above.roundTrip + place.roundTrip) / 2
    return path(to: parent) + hop + Self.levelDelay
  }

  /// What an edge adds to a packet that it sends on, in µs: the median of docs/performance/scale.md.
  private static let levelDelay: Int64 = 1_500
}
