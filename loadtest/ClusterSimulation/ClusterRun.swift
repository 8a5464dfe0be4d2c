import RoomCluster
import RoomLinkModel
import RoomProtocol
import RoomRTP

/// A cluster in virtual time: rooms open, grow and end, and nodes report, die and restart.
///
/// The nodes share a few placements, each with reports of its own age, because a thousand placements of a thousand nodes
/// differ in nothing else. None of them counts what it placed, as if each node placed one room.
struct ClusterRun {
  struct Options {
    var nodes = 1000
    var rooms = 100_000
    var viewers = 1_000_000
    /// The mean time for which a room is open, in seconds.
    var roomSeconds = 1800.0
    /// The mean time for which a viewer stays, in seconds.
    var viewerSeconds = 600.0
    /// The time in which a new room gets its viewers, in seconds.
    var growthSeconds = 60.0
    /// The time in which the viewers of a dead or drained node join again, in seconds.
    var returnSeconds = 3.0
    /// The time between two reports of a node, in seconds.
    var reportSeconds = 0.5
    /// The time between two readings of all reports by a node, in seconds.
    var listSeconds = Double(LeaseTiming().listing) / 1e6
    /// The share of rooms with a mix.
    var mixedRooms = 0.03
    /// Joins, leaves and deaths of the edges of a very large room.
    var treeChanges = 1_000_000
    var rules = PlacementRules()
    var seed: UInt64 = 1
  }

  /// Ticks in a second.
  static let ticks = 4
  private static let placementCount = 4

  private(set) var options: Options
  private(set) var cluster: Cluster
  var generator: SeededGenerator
  private(set) var placements: [Placement]
  private(set) var tick = 0
  var samples = Samples()
  private var audiences: [Int]
  /// The rooms that end in each tick.
  private var ends: [Int: [Int]] = [:]
  /// The rooms with viewers that are not served yet, each once.
  private var growing: [Int] = []

  init(_ options: Options, costs: Costs = Costs()) {
    self.options = options
    generator = SeededGenerator(seed: options.seed)
    cluster = Cluster(nodes: options.nodes, costs: costs)
    audiences = Population(rooms: options.rooms, viewers: options.viewers, using: &generator).audiences
    placements = Array(repeating: Placement(rules: options.rules), count: Self.placementCount)
    for index in placements.indices { readReports(index) }
  }

  var now: Instant { Instant(microseconds: Int64(tick) * 1_000_000 / Int64(Self.ticks)) }
  var seconds: Double { Double(tick) / Double(Self.ticks) }

  // MARK: Time

  /// Opens all rooms within a time.
  mutating func open(in seconds: Double) {
    let ticks = Int(seconds * Double(Self.ticks))
    var opened = 0
    for step in 1...max(1, ticks) {
      let target = audiences.count * step / max(1, ticks)
      for index in opened..<max(opened, target) { openRoom(audience: audiences[index]) }
      opened = target
      advance()
    }
  }

  /// Lets rooms come and go for a time.
  mutating func pass(seconds: Double) {
    for _ in 0..<Int(seconds * Double(Self.ticks)) { advance() }
  }

  mutating func advance() {
    tick += 1
    report()
    for index in ends.removeValue(forKey: tick) ?? [] { endRoom(index) }
    if tick % Self.ticks == 0 {
      grow()
      countViewers()
      samples.add(cluster, at: seconds)
    }
  }

  private mutating func report() {
    let interval = max(1, Int(options.reportSeconds * Double(Self.ticks)))
    for index in cluster.nodes.indices where index % interval == tick % interval && cluster.nodes[index].isAlive {
      cluster.nodes[index].report.load = cluster.nodes[index].load
      cluster.nodes[index].report.accepts = cluster.nodes[index].accepts
    }
    let listing = max(interval, Int(options.listSeconds * Double(Self.ticks)))
    for index in placements.indices where index % listing == tick % listing { readReports(index) }
    // Each node renews once in an interval.
    if tick % interval == 0 { samples.redis.countRenewal(of: cluster.nodes.count { $0.isAlive }) }
  }

  /// Gives a placement the last reports of the nodes that it believes alive.
  private mutating func readReports(_ index: Int) {
    for node in cluster.nodes where node.isAlive { placements[index].update(node.report, at: now) }
  }

  // MARK: Rooms

  private func region(_ index: Int) -> Region { Region("region-\(index)") }

  mutating func openRoom(audience: Int) {
    let index = cluster.rooms.count
    let region = region(Population.region(using: &generator))
    let mixes = generator.fraction() < options.mixedRooms
    let demand = cluster.costs.owner(viewers: cluster.costs.expectedViewers, links: 0, mixes: mixes)
    guard let node = choose(demand, in: region) else {
      samples.refusedRooms += 1
      cluster.rooms.append(nil)
      return
    }
    var room = Cluster.Room(
      name: RoomName("room-\(index)"), region: region, mixes: mixes, audience: audience,
      shares: [Cluster.Share(node: node, viewers: 0, limit: cluster.costs.viewersPerShare)], waiting: audience)
    cluster.enter(room)
    samples.redis.count(.open)
    queue(&room, index, in: options.growthSeconds)
    cluster.rooms.append(room)
    let life = Population.wait(mean: options.roomSeconds, using: &generator)
    ends[tick + max(1, Int(life * Double(Self.ticks))), default: []].append(index)
  }

  /// Ends a room, and opens another one with as many viewers.
  private mutating func endRoom(_ index: Int) {
    guard let room = cluster.rooms[index] else { return }
    cluster.leave(room)
    cluster.rooms[index] = nil
    samples.redis.count(.end)
    openRoom(audience: room.audience)
  }

  /// Asks one of the placements for a node that takes the load; nil if there is none.
  mutating func choose(_ demand: NodeResources, in region: Region) -> Int? {
    // A node that is full or dead refuses, and the caller asks again.
    for _ in 0..<4 {
      let placement = Int(generator.next() % UInt64(placements.count))
      guard
        let name = try? placements[placement].choose(for: demand, in: region, at: now, using: &generator),
        let node = cluster.index(of: name)
      else { return nil }
      if cluster.nodes[node].accepts, cluster.fits(demand, on: node, below: 1) { return node }
      samples.retries += 1
    }
    return nil
  }

  // MARK: Viewers

  /// Lets the waiting viewers of a room join within some seconds.
  private mutating func queue(_ room: inout Cluster.Room, _ index: Int, in seconds: Double) {
    guard room.waiting > 0 else { return }
    room.isReturning = seconds == options.returnSeconds
    room.joinsPerSecond = max(room.joinsPerSecond, Int(Double(room.waiting) / seconds), 1)
    if !room.isQueued { growing.append(index) }
    room.isQueued = true
  }

  private mutating func grow() {
    var left: [Int] = []
    for index in growing {
      guard var room = cluster.rooms[index] else { continue }
      // Nobody can join a room without an owner.
      guard cluster.nodes[room.owner].isAlive else {
        left.append(index)
        continue
      }
      let later = max(0, room.waiting - room.joinsPerSecond)
      room.waiting -= later
      samples.redis.count(.join, room.waiting)
      serve(&room)
      // Who is refused tries again.
      samples.refusedViewers += room.waiting
      room.waiting += later
      room.isQueued = room.waiting > 0
      if room.isQueued {
        left.append(index)
      } else {
        room.joinsPerSecond = 0
        room.isReturning = false
      }
      cluster.rooms[index] = room
    }
    growing = left
  }

  private mutating func serve(_ room: inout Cluster.Room) {
    cluster.fill(&room)
    while room.waiting > 0 {
      let viewers = min(room.waiting, cluster.costs.viewersPerShare)
      // A small room has its viewers in one region, a large one in all.
      let isSmall = room.audience <= cluster.costs.viewersPerShare
      let region = isSmall ? room.region : region(Population.region(using: &generator))
      guard let node = choose(cluster.costs.edge(viewers: viewers), in: region) else { return }
      let before = (waiting: room.waiting, shares: room.shares.count)
      cluster.addShare(of: &room, at: node)
      samples.redis.count(.find, room.shares.count - before.shares)
      if room.waiting == before.waiting { return }
    }
  }

  /// Counts the joins and leaves of viewers who replace each other.
  private mutating func countViewers() {
    samples.redis.count(.join, Int(2 * Double(options.viewers) / options.viewerSeconds))
  }

  // MARK: Failures and moves

  /// Kills nodes. Their rooms have no owner until a node claims them.
  /// - Returns: the rooms without an owner, and the viewers who lost their connection.
  mutating func kill(_ dead: Set<Int>) -> (rooms: [Int], viewers: Int) {
    var orphans: [Int] = []
    var viewers = 0
    for node in dead { cluster.nodes[node].isAlive = false }
    for (index, room) in cluster.rooms.enumerated() {
      guard var room, room.shares.contains(where: { dead.contains($0.node) }) else { continue }
      cluster.leave(room)
      let lost = room.shares.filter { dead.contains($0.node) }.reduce(0) { $0 + $1.viewers }
      viewers += lost
      room.waiting += lost
      let isOrphan = dead.contains(room.owner)
      // The owner keeps its position until another node owns the room.
      if isOrphan { room.shares[0].viewers = 0 }
      room.shares = room.shares.prefix(1) + room.shares.dropFirst().filter { !dead.contains($0.node) }
      cluster.enter(room)
      if isOrphan { orphans.append(index) } else { queue(&room, index, in: options.returnSeconds) }
      cluster.rooms[index] = room
    }
    return (orphans, viewers)
  }

  /// Removes a dead node from a placement, as its nodes do once its lease has ended.
  mutating func forget(_ node: Int, in placement: Int) { placements[placement].remove(cluster.nodes[node].name) }

  /// Gives a room to another node, and the viewers of the old owner with it as far as they fit.
  mutating func hand(_ index: Int, to node: Int) {
    guard var room = cluster.rooms[index] else { return }
    cluster.leave(room)
    // The new owner may have served viewers of the room already.
    let own = room.shares.dropFirst().filter { $0.node == node }.reduce(0) { $0 + $1.viewers }
    let follow = room.shares[0].viewers
    let limit = cluster.costs.viewersPerShare
    let served = min(own + follow, max(own, limit))
    room.waiting += own + follow - served
    let share = Cluster.Share(node: node, viewers: served, limit: max(served, limit))
    room.shares = [share] + room.shares.dropFirst().filter { $0.node != node }
    cluster.enter(room)
    queue(&room, index, in: options.returnSeconds)
    cluster.rooms[index] = room
  }

  /// Ends the share of a room at a node that drains; its viewers are served elsewhere.
  mutating func endShare(of index: Int, at node: Int) {
    guard var room = cluster.rooms[index], room.owner != node else { return }
    cluster.leave(room)
    room.waiting += room.shares.filter { $0.node == node }.reduce(0) { $0 + $1.viewers }
    room.shares.removeAll { $0.node == node }
    cluster.enter(room)
    queue(&room, index, in: options.returnSeconds)
    cluster.rooms[index] = room
  }

  /// The viewers who lost their node and are not served yet.
  var waitingToReturn: Int {
    cluster.rooms.reduce(0) { $0 + ($1.map { $0.isReturning ? $0.waiting : 0 } ?? 0) }
  }

  /// The rooms that each node owns.
  var roomCounts: [Int] {
    var counts = [Int](repeating: 0, count: cluster.nodes.count)
    for case let room? in cluster.rooms { counts[room.owner] += 1 }
    return counts
  }

  mutating func setRules(choices: Int, reportSeconds: Double) {
    options.reportSeconds = reportSeconds
    for index in placements.indices {
      placements[index].rules.choices = choices
      placements[index].rules.staleAfter = max(options.rules.staleAfter, Int64(3e6 * reportSeconds))
    }
  }

  /// Moves all rooms of a node to others, as a drain does, and restarts it.
  mutating func vacate(_ node: Int) {
    setAccepts(false, node)
    for index in cluster.rooms.indices {
      guard let room = cluster.rooms[index], room.shares.contains(where: { $0.node == node }) else { continue }
      if room.owner == node, let other = choose(cluster.costs.owner(viewers: 0, links: 0, mixes: room.mixes), in: room.region) {
        hand(index, to: other)
      } else {
        endShare(of: index, at: node)
      }
    }
    restart(node)
  }

  mutating func setAccepts(_ accepts: Bool, _ node: Int) { cluster.nodes[node].accepts = accepts }

  /// Restarts an empty node.
  mutating func restart(_ node: Int) {
    cluster.nodes[node].load = NodeResources()
    cluster.nodes[node].isAlive = true
    cluster.nodes[node].accepts = true
    cluster.nodes[node].report.accepts = true
    cluster.nodes[node].report.load = NodeResources()
  }
}
