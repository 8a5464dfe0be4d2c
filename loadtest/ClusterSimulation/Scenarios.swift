import Foundation
import RoomCluster

/// Runs all scenarios, each from the same filled cluster.
struct Scenarios {
  /// The printed figures and the charts.
  struct Report {
    fileprivate(set) var text = ""
    fileprivate(set) var panels: [LoadChart.Panel] = []
    /// For tests.
    fileprivate(set) var killed = Failover.Outcome()
    fileprivate(set) var region = Failover.Outcome()
    fileprivate(set) var upgrade = Upgrade.Outcome()
    fileprivate(set) var rushes: [Rush.Outcome] = []
    fileprivate(set) var steady = Samples()
    fileprivate(set) var audiences: [Audience.Outcome] = []

    fileprivate mutating func add(_ lines: String...) { text += lines.joined(separator: "\n") + "\n" }

    fileprivate mutating func table(_ head: [String], _ rows: [[String]]) {
      for row in [head, head.map { _ in "---" }] + rows { text += "| " + row.joined(separator: " | ") + " |\n" }
    }
  }

  private let options: ClusterRun.Options
  /// The share of its capacity that an edge of a very large room uses.
  private static let edgeFill = 0.85

  init(_ options: ClusterRun.Options) { self.options = options }

  func run() -> Report {
    var report = Report()
    var filled = ClusterRun(options)
    filled.open(in: 300)
    filled.pass(seconds: 90)
    steady(&filled, &report)
    rushes(filled, &report)
    failures(filled, &report)
    upgrade(filled, &report)
    audience(&report)
    return report
  }

  // MARK: Steady

  private func steady(_ run: inout ClusterRun, _ report: inout Report) {
    run.samples = Samples()
    run.pass(seconds: 300)
    let samples = run.samples
    report.steady = samples
    report.panels.append(.init(title: "Rooms come and go", seconds: samples.seconds))
    let rooms = run.cluster.rooms.compactMap { $0 }
    let shares = rooms.map(\.shares.count)
    report.add(
      "### Rooms come and go, 300 s", "",
      "\(options.nodes) nodes, \(rooms.count) rooms, \(rooms.reduce(0) { $0 + $1.shares.reduce(0) { $0 + $1.viewers } }) viewers; "
        + "the largest room has \(rooms.map(\.audience).max() ?? 0) viewers on \(shares.max() ?? 0) nodes; "
        + "\(shares.count { $0 > 1 }) rooms have viewers on several nodes, "
        + "by \(shares.reduce(0) { $0 + $1 - 1 }) links.", "")
    report.table(
      ["load", "mean", "p99", "maximum", "maximum / mean"],
      [
        ["at the end"] + load(samples.seconds.last),
        ["highest maximum"] + load(samples.seconds.max { $0.max < $1.max }),
      ])
    report.add(
      "", "Refused rooms \(samples.refusedRooms), viewers \(samples.refusedViewers), choices \(samples.retries).", "",
      "Redis commands a second:", "")
    report.table(
      ["work", "commands each", "times a second", "commands a second"],
      RedisLoad.Work.allCases.compactMap { work in
        guard let count = samples.redis.counts[work] else { return nil }
        let rate = Double(count) / 300
        return [work.rawValue, "\(work.commands)", number(rate), number(rate * Double(work.commands))]
      } + [["all", "", "", number(Double(samples.redis.commands) / 300)]])
    report.add("", "Records of members read from Redis: \(number(samples.redis.listBytes / 300e6)) MB a second.")
  }

  // MARK: Rush

  private func rushes(_ run: ClusterRun, _ report: inout Report) {
    let rooms = options.rooms / 20
    let empty = options.nodes / 50
    report.add(
      "", "### \(rooms) rooms in 10 s, \(empty) nodes empty after a restart", "",
      "Each room gets 10 viewers within a minute. Nodes report twice a second or every 10 s.", "")
    for choices in [1, 2, 32] {
      for seconds in [0.5, 10] {
        report.rushes.append(
          Rush.run(run, choices: choices, reportSeconds: seconds, rooms: rooms, empty: empty, audience: 10))
      }
    }
    let names = [1: "by chance", 2: "the better of two", 32: "the best of 32"]
    report.table(
      ["choice", "reports, s", "most rooms on a node", "/ mean", "highest load", "nodes that refused", "refused viewers"],
      report.rushes.map { rush in
        [
          names[rush.choices] ?? "", number(rush.reportSeconds, 1), "\(rush.most)", number(Double(rush.most) / rush.mean, 1),
          percent(rush.used), "\(rush.retries)", "\(rush.refusedViewers)",
        ]
      })
  }

  // MARK: Failures

  private func failures(_ filled: ClusterRun, _ report: inout Report) {
    report.add("", "### Nodes die at once", "")
    var rows: [[String]] = []
    var run = filled
    run.samples = Samples()
    run.pass(seconds: 15)
    var dead: Set<Int> = []
    while dead.count < options.nodes / 10 { dead.insert(Int(run.generator.next() % UInt64(options.nodes))) }
    report.killed = Failover.run(&run, killing: dead, seconds: 60)
    report.panels.append(.init(title: "10 % of the nodes die", seconds: run.samples.seconds))
    rows.append(row("10 % of the nodes", report.killed, run.samples))
    run = filled
    run.samples = Samples()
    run.pass(seconds: 15)
    let lost = run.cluster.nodes[0].region
    report.region = Failover.run(
      &run, killing: Set(run.cluster.nodes.indices.filter { run.cluster.nodes[$0].region == lost }),
      seconds: 60)
    report.panels.append(.init(title: "The largest region is lost", seconds: run.samples.seconds))
    rows.append(row("the largest region", report.region, run.samples))
    report.table(
      [
        "dead", "nodes", "rooms", "viewers", "taken over after p50 / p95 / max s", "claims", "not taken",
        "most rooms by one node / mean", "in another region", "all viewers back, s", "highest load", "mean and p99 at the end",
        "refused viewers",
        "most Redis commands a second",
      ], rows)
  }

  private func row(_ name: String, _ outcome: Failover.Outcome, _ samples: Samples) -> [String] {
    func time(_ share: Double) -> String {
      guard !outcome.times.isEmpty else { return "–" }
      return number(outcome.times[min(outcome.times.count - 1, Int(share * Double(outcome.times.count)))], 2)
    }
    return [
      name, "\(outcome.nodes)", "\(outcome.rooms)", "\(outcome.viewers)", "\(time(0.5)) / \(time(0.95)) / \(time(1))",
      "\(outcome.claims)", "\(outcome.lost)", "\(outcome.most) / \(number(outcome.mean, 1))", "\(outcome.abroad)",
      outcome.served.map { number($0, 1) } ?? "–", percent(samples.seconds.map(\.max).max() ?? 0),
      load(samples.seconds.last)[..<2].joined(separator: ", "), "\(samples.refusedViewers)",
      "\(samples.mostCommands)",
    ]
  }

  // MARK: Upgrade

  private func upgrade(_ filled: ClusterRun, _ report: inout Report) {
    var run = filled
    run.samples = Samples()
    run.pass(seconds: 15)
    report.upgrade = Upgrade.run(&run, share: 0.05)
    let upgrade = report.upgrade
    report.panels.append(.init(title: "Rolling upgrade", seconds: run.samples.seconds))
    report.add("", "### Rolling upgrade, 5 % of the nodes at a time", "")
    report.table(
      [
        "time, s", "slowest drain, s", "rooms moved", "most moves of a room", "viewers moved", "highest load",
        "refused viewers", "most Redis commands a second",
      ],
      [
        [
          number(upgrade.seconds), number(upgrade.slowest, 1), "\(upgrade.moves)", "\(upgrade.most)", "\(upgrade.viewers)",
          percent(run.samples.seconds.map(\.max).max() ?? 0), "\(run.samples.refusedViewers)",
          "\(run.samples.mostCommands)",
        ]
      ])
  }

  // MARK: Audience

  private func audience(_ report: inout Report) {
    let costs = Costs()
    let edges = Int((Double(options.viewers) * costs.packetsPerViewer / (Costs.nodePackets * Self.edgeFill)).rounded(.up))
    report.add(
      "", "### One room of \(options.viewers) viewers: \(edges) edges in 8 regions", "",
      "Then \(options.treeChanges) joins, leaves, deaths and changes of capacity in a tree of \(Audience.smallTree) edges, with all rules checked.",
      "")
    let fanOuts = [2, 8, 32]
    for fanOut in fanOuts {
      report.audiences.append(
        Audience.run(edges: edges, fanOut: fanOut, changes: options.treeChanges / fanOuts.count, seed: options.seed))
    }
    report.table(
      [
        "fan-out", "levels", "copies that the owner sends", "most copies of an edge", "lines between regions",
        "beyond a direct path, p50 / p99 / max ms", "edges of a lost region", "others that move",
        "moves for a change, mean / max",
        "most levels",
      ],
      report.audiences.map { audience in
        func delay(_ share: Double) -> String {
          number(audience.delays[min(audience.delays.count - 1, Int(share * Double(audience.delays.count)))], 1)
        }
        return [
          "\(audience.fanOut)", "\(audience.depth)", "\(audience.rootCopies)", "\(audience.mostCopies)",
          "\(audience.crossings)",
          "\(delay(0.5)) / \(delay(0.99)) / \(delay(1))", "\(audience.lost)", "\(audience.moved)",
          "\(number(Double(audience.moves) / Double(max(1, audience.changes)), 2)) / \(audience.mostMoves)",
          "\(audience.deepest)",
        ]
      })
  }

  // MARK: Text

  private func load(_ second: Samples.Second?) -> [String] {
    guard let second else { return ["–", "–", "–", "–"] }
    return [percent(second.mean), percent(second.p99), percent(second.max), number(second.max / second.mean, 2)]
  }

  private func percent(_ share: Double) -> String { String(format: "%.1f %%", 100 * share) }
  private func number(_ value: Double, _ digits: Int = 0) -> String { String(format: "%.\(digits)f", value) }
}
