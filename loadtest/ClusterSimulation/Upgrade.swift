import RoomCluster

/// Drains and restarts all nodes, some at a time.
struct Upgrade {
  struct Outcome {
    var seconds = 0.0
    var moves = 0
    /// The most moves of one room.
    var most = 0
    /// Viewers who were moved with a room or had to join again.
    var viewers = 0
    /// Seconds of the slowest drain.
    var slowest = 0.0
  }

  /// Rooms that a node moves in a second.
  private static let movesPerSecond = 40
  /// Seconds from an empty node to its first report after the restart.
  private static let restart = 15.0

  /// - Parameter share: the part of each region that drains at a time.
  static func run(_ run: inout ClusterRun, share: Double) -> Outcome {
    var outcome = Outcome()
    var moves: [Int: Int] = [:]
    let start = run.seconds
    let batches = Int((1 / share).rounded(.up))
    for batch in 0..<batches {
      // Nodes of a region have adjacent numbers, so each batch has nodes of all regions.
      drain(
        run.cluster.nodes.indices.filter { $0 % batches == batch }, &run, &moves, &outcome)
    }
    outcome.seconds = run.seconds - start
    outcome.moves = moves.values.reduce(0, +)
    outcome.most = moves.values.max() ?? 0
    return outcome
  }

  private static func drain(
    _ nodes: [Int], _ run: inout ClusterRun, _ moves: inout [Int: Int], _ outcome: inout Outcome
  ) {
    let start = run.seconds
    for node in nodes { run.setAccepts(false, node) }
    var rooms: [Int: [Int]] = [:]
    let draining = Set(nodes)
    for (index, room) in run.cluster.rooms.enumerated() {
      for share in room?.shares ?? [] where draining.contains(share.node) { rooms[share.node, default: []].append(index) }
    }
    while !rooms.isEmpty {
      run.advance()
      for node in nodes {
        guard var left = rooms[node] else { continue }
        for _ in 0..<max(1, movesPerSecond / ClusterRun.ticks) {
          guard let index = left.popLast() else { break }
          guard let room = run.cluster.rooms[index] else { continue }
          let viewers = room.shares.filter { $0.node == node }.reduce(0) { $0 + $1.viewers }
          if room.owner == node {
            let load = run.cluster.costs.owner(viewers: viewers, links: room.shares.count - 1, mixes: room.mixes)
            guard let other = run.choose(load, in: room.region) else {
              // It is tried again last.
              left.insert(index, at: 0)
              break
            }
            run.hand(index, to: other)
            run.samples.redis.count(.move)
            moves[index, default: 0] += 1
          } else {
            run.endShare(of: index, at: node)
          }
          outcome.viewers += viewers
        }
        rooms[node] = left.isEmpty ? nil : left
      }
    }
    outcome.slowest = max(outcome.slowest, run.seconds - start)
    run.pass(seconds: restart)
    for node in nodes { run.restart(node) }
    run.pass(seconds: 2 * run.options.reportSeconds)
  }
}
