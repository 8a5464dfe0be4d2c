import ArgumentParser
import Foundation

/// Simulates placement and failure in a large cluster in virtual time, and prints the figures of docs/performance/scale.md.
@main
struct ClusterSimulation: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster-simulation",
    abstract: "Simulates the placement of rooms, and the failure of nodes, in a cluster in virtual time.")

  @Option(help: "Nodes, 20 to 10000.")
  var nodes = 1000

  @Option(help: "Rooms, 100 to 1000000.")
  var rooms = 100_000

  @Option(help: "Viewers in all rooms.")
  var viewers = 1_000_000

  @Option(help: "Seconds between two reports of a node, 0.25 to 60.")
  var reports = 0.5

  @Option(help: "Seed of all random numbers.")
  var seed: UInt64 = 1

  @Option(help: "Write a chart of the nodes' load as SVG.")
  var chart: String?

  func validate() throws {
    guard (20...10_000).contains(nodes), (100...1_000_000).contains(rooms), (0...100_000_000).contains(viewers) else {
      throw ValidationError("--nodes, --rooms or --viewers is out of range")
    }
    guard (0.25...60).contains(reports) else { throw ValidationError("--reports must be 0.25 to 60") }
  }

  func run() throws {
    let begin = DispatchTime.now()
    var options = ClusterRun.Options()
    options.nodes = nodes
    options.rooms = rooms
    options.viewers = viewers
    options.reportSeconds = reports
    options.rules.staleAfter = max(options.rules.staleAfter, Int64(3e6 * reports))
    options.seed = seed
    let report = Scenarios(options).run()
    print(report.text)
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9
    print(String(format: "\nSimulated in %.1f s.", seconds))
    if let chart { try LoadChart.svg(report.panels).write(toFile: chart, atomically: true, encoding: .utf8) }
  }
}
