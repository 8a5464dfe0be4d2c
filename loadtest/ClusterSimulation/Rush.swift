import RoomCluster

/// Opens many rooms while some nodes have just restarted, with reports of different age and different rules of choice.
struct Rush {
  struct Outcome {
    var choices: Int
    var reportSeconds: Double
    /// Rooms on the node that got most of them, and the mean of all nodes.
    var most = 0
    var mean = 0.0
    /// The largest share of a node that was used, once all viewers were there.
    var used = 0.0
    /// Choices of a node that refused.
    var retries = 0
    var refusedViewers = 0
  }

  static func run(
    _ run: ClusterRun, choices: Int, reportSeconds: Double, rooms: Int, empty: Int, audience: Int
  ) -> Outcome {
    var run = run
    run.setRules(choices: choices, reportSeconds: reportSeconds)
    for node in 0..<empty { run.vacate(node * run.cluster.nodes.count / max(1, empty)) }
    run.pass(seconds: 2 * reportSeconds)
    let before = run.roomCounts
    let (retries, refused) = (run.samples.retries, run.samples.refusedViewers)
    let ticks = 10 * ClusterRun.ticks
    for tick in 0..<ticks {
      for _ in 0..<(rooms * (tick + 1) / ticks - rooms * tick / ticks) { run.openRoom(audience: audience) }
      run.advance()
    }
    var outcome = Outcome(choices: choices, reportSeconds: reportSeconds)
    let opened = zip(run.roomCounts, before).map { $0 - $1 }
    outcome.most = opened.max() ?? 0
    outcome.mean = Double(rooms) / Double(run.cluster.nodes.count)
    run.pass(seconds: 75)
    outcome.used = run.cluster.nodes.indices.map(run.cluster.used).max() ?? 0
    outcome.retries = run.samples.retries - retries
    outcome.refusedViewers = run.samples.refusedViewers - refused
    return outcome
  }
}
