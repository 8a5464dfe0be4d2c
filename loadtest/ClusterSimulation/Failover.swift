import RoomCluster
import RoomProtocol

/// Kills nodes at once, and lets the others claim their rooms.
struct Failover {
  struct Outcome {
    var nodes = 0
    var rooms = 0
    var viewers = 0
    /// Seconds from the death until another node owned the room, in ascending order.
    var times: [Double] = []
    var claims = 0
    /// Rooms that no node had taken at the end.
    var lost = 0
    /// Rooms taken in another region.
    var abroad = 0
    /// The most rooms that one node took, and their mean.
    var most = 0
    var mean = 0.0
    /// Seconds until all viewers were served again; nil if some were not at the end.
    var served: Double?
  }

  private struct Claim {
    var room: Int
    var node: Int
  }

  /// A lease ends 3 s after another node has seen its last renewal. Nodes renew, and see the others' renewals, twice a second.
  private static let lease = 3.0
  private static let renewal = 0.5
  private static let watch = 0.5
  /// Seconds until nodes look for rooms that nobody claimed, and make another attempt.
  private static let retry = 1.0

  /// - Parameter seconds: the duration of the simulation after the death.
  static func run(_ run: inout ClusterRun, killing dead: Set<Int>, seconds: Double) -> Outcome {
    var outcome = Outcome(nodes: dead.count)
    let start = run.tick
    let killed = run.kill(dead)
    outcome.rooms = killed.rooms.count
    outcome.viewers = killed.viewers
    let orphans = Dictionary(grouping: killed.rooms) { run.cluster.rooms[$0]?.owner ?? -1 }

    // When each placement notices each dead node.
    var notices: [Int: [(node: Int, placement: Int)]] = [:]
    let phases = run.placements.map { _ in run.generator.fraction() * watch }
    for node in dead.sorted() {
      let renewed = -renewal * run.generator.fraction()
      for (placement, phase) in phases.enumerated() {
        let noticed = renewed + phase + lease
        notices[start + Int((noticed * Double(ClusterRun.ticks)).rounded(.up)), default: []].append((node, placement))
      }
    }

    var claims: [Int: [Claim]] = [:]
    var taken = [Int](repeating: 0, count: run.cluster.nodes.count)
    var owned: Set<Int> = []
    var attempts: [Int: Int] = [:]
    for _ in 0..<Int(seconds * Double(ClusterRun.ticks)) {
      run.advance()
      for (node, placement) in notices[run.tick] ?? [] {
        run.forget(node, in: placement)
        for room in orphans[node] ?? [] { order(room, by: placement, 0, &claims, run) }
      }
      for claim in claims.removeValue(forKey: run.tick) ?? [] where !owned.contains(claim.room) {
        guard let room = run.cluster.rooms[claim.room] else { continue }
        guard run.cluster.fits(load(of: room, run), on: claim.node, below: run.options.rules.failoverFill)
        else { continue }
        outcome.claims += 1
        run.samples.redis.count(.claim)
        owned.insert(claim.room)
        taken[claim.node] += 1
        if run.cluster.nodes[claim.node].region != room.region { outcome.abroad += 1 }
        run.hand(claim.room, to: claim.node)
        outcome.times.append(Double(run.tick - start) / Double(ClusterRun.ticks))
      }
      let age = Double(run.tick - start) / Double(ClusterRun.ticks)
      if age >= lease + 1, age.truncatingRemainder(dividingBy: retry) == 0 {
        for room in killed.rooms where !owned.contains(room) && run.cluster.rooms[room] != nil {
          attempts[room, default: 0] += 1
          for placement in run.placements.indices {
            order(room, by: placement, attempts[room] ?? 0, &claims, run)
          }
        }
      }
      if outcome.served == nil, age > lease, run.tick % ClusterRun.ticks == 0, run.waitingToReturn == 0 {
        outcome.served = age
      }
    }
    outcome.lost = killed.rooms.count { !owned.contains($0) && run.cluster.rooms[$0] != nil }
    outcome.most = taken.max() ?? 0
    outcome.mean = Double(owned.count) / Double(max(1, run.cluster.nodes.count { $0.isAlive }))
    outcome.times.sort()
    return outcome
  }

  /// The load of a dead node's room once its viewers have returned.
  private static func load(of room: Cluster.Room, _ run: ClusterRun) -> NodeResources {
    let costs = run.cluster.costs
    return costs.owner(
      viewers: min(room.waiting, costs.viewersPerShare), links: room.shares.count - 1, mixes: room.mixes)
  }

  /// Notes the claims of the nodes that share a placement.
  private static func order(
    _ index: Int, by placement: Int, _ attempt: Int, _ claims: inout [Int: [Claim]], _ run: ClusterRun
  ) {
    guard let room = run.cluster.rooms[index] else { return }
    let turns = run.placements[placement].claims(
      on: room.name, needing: load(of: room, run), in: room.region,
      except: run.cluster.nodes[room.owner].name, attempt: attempt, at: run.now)
    for turn in turns {
      guard let node = run.cluster.index(of: turn.node), node % run.placements.count == placement,
        run.cluster.nodes[node].isAlive
      else { continue }
      let ticks = Int(turn.delay) * ClusterRun.ticks / 1_000_000
      claims[run.tick + max(1, ticks), default: []].append(Claim(room: index, node: node))
    }
  }
}
