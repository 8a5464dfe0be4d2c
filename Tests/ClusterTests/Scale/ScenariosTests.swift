import RoomCluster
import Testing

@testable import RoomClusterSimulation

@Suite("The simulation of a cluster")
struct ScenariosTests {
  private static func options(seed: UInt64) -> ClusterRun.Options {
    var options = ClusterRun.Options()
    options.nodes = 60
    options.rooms = 3000
    options.viewers = 50_000
    options.seed = seed
    return options
  }

  /// The load and the rooms of each node must be the sum of those of its rooms.
  private static func check(_ cluster: Cluster) {
    var sums = cluster
    for index in sums.nodes.indices { sums.nodes[index].load = NodeResources() }
    for case let room? in cluster.rooms { sums.enter(room) }
    for (node, sum) in zip(cluster.nodes, sums.nodes) where node.isAlive {
      #expect(abs(node.load[.packets] - sum.load[.packets]) < 1 && node.load[.rooms] == sum.load[.rooms])
    }
  }

  @Test("rooms of dead nodes get owners again, and all their viewers return")
  func failover() throws {
    var run = ClusterRun(Self.options(seed: 1))
    run.open(in: 30)
    run.pass(seconds: 70)
    Self.check(run.cluster)
    let outcome = Failover.run(&run, killing: [1, 7, 20, 33, 50, 59], seconds: 30)
    Self.check(run.cluster)
    #expect(outcome.nodes == 6 && outcome.rooms > 150 && outcome.lost == 0)
    let slowest = try #require(outcome.times.last)
    #expect(slowest <= 5, "\(slowest) s")
    let served = try #require(outcome.served)
    #expect(served < 15)
    for case let room? in run.cluster.rooms {
      #expect(room.shares.allSatisfy { run.cluster.nodes[$0.node].isAlive })
    }
  }

  @Test("an upgrade restarts each node empty, and loses no room")
  func upgrade() {
    var run = ClusterRun(Self.options(seed: 2))
    run.open(in: 30)
    run.pass(seconds: 70)
    let rooms = run.cluster.rooms.count { $0 != nil }
    let outcome = Upgrade.run(&run, share: 0.25)
    Self.check(run.cluster)
    #expect(run.cluster.rooms.count { $0 != nil } == rooms - run.samples.refusedRooms)
    #expect(outcome.moves > 2000 && outcome.viewers > 30_000)
    #expect(run.cluster.nodes.allSatisfy { $0.accepts && $0.isAlive })
  }

  @Test("the best of many nodes rushes to empty nodes; the better of two does not")
  func rush() {
    var run = ClusterRun(Self.options(seed: 3))
    run.open(in: 30)
    run.pass(seconds: 70)
    func most(_ choices: Int) -> Int {
      Rush.run(run, choices: choices, reportSeconds: 10, rooms: 400, empty: 2, audience: 10).most
    }
    #expect(most(32) > 2 * most(2))
  }

  @Test("the same seed gives the same figures")
  func reproducible() {
    func load(_ seed: UInt64) -> [Double] {
      var run = ClusterRun(Self.options(seed: seed))
      run.open(in: 20)
      run.pass(seconds: 20)
      return run.cluster.nodes.map { $0.load[.packets] }
    }
    #expect(load(4) == load(4))
    #expect(load(4) != load(5))
  }

  @Test("the largest of a thousand rooms has a share of the viewers as by Zipf's law")
  func population() {
    var generator = ClusterRun(Self.options(seed: 6)).generator
    let audiences = Population(rooms: 1000, viewers: 100_000, using: &generator).audiences.sorted(by: >)
    #expect((13_358...13_360).contains(audiences[0]))
    #expect((6678...6681).contains(audiences[1]))
    #expect((99_000...101_000).contains(audiences.reduce(0, +)))
  }

  @Test("the owner of a very large room sends a few copies, and a lost region moves hardly any other edge")
  func audience() {
    let outcome = Audience.run(edges: 100, fanOut: 8, changes: 500, seed: 3)
    #expect(outcome.rootCopies == 8 && outcome.mostCopies <= 8 && outcome.depth <= 4)
    #expect(outcome.crossings == 7, "one line to each region but the owner's")
    #expect(outcome.lost > 5 && outcome.moved < 10)
    #expect(outcome.mostMoves > 0)
  }
}
