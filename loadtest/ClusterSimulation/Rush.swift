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
    _ simulation: Simulation, choices: Int, reportSeconds: Double, rooms: Int, empty: Int, audience: Int
  ) -> Outcome {
    var simulation = simulation
    simulation.setRules(choices: choices, reportSeconds: reportSeconds)
    for node in 0..<empty { simulation.vacate(node * simulation.cluster.nodes.count / max(1, empty)) }
    simulation.run(seconds: 2 * reportSeconds)
    let before = simulation.roomCounts
    let (retries, refused) = (simulation.samples.retries, simulation.samples.refusedViewers)
    let ticks = 10 * Simulation.ticks
    for tick in 0..<ticks {
      for _ in 0..<(rooms * (tick + 1) / ticks - rooms * tick / ticks) { simulation.openRoom(audience: audience) }
      simulation.advance()
    }
    var outcome = Outcome(choices: choices, reportSeconds: reportSeconds)
    let opened = zip(simulation.roomCounts, before).map { $0 - $1 }
    outcome.most = opened.max() ?? 0
    outcome.mean = Double(rooms) / Double(simulation.cluster.nodes.count)
    simulation.run(seconds: 75)
    outcome.used = simulation.cluster.nodes.indices.map(simulation.cluster.used).max() ?? 0
    outcome.retries = simulation.samples.retries - retries
    outcome.refusedViewers = simulation.samples.refusedViewers - refused
    return outcome
  }
}
