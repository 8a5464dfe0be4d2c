import ArgumentParser
import Foundation

/// Runs a scenario and writes a report.
struct Run: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run a scenario with bots (live streams, PKs, voice rooms, meetings, churn) and write a report.",
    usage: "loadtest run <scenario> [--<parameter> <number> ...] [--start] [--report <folder>] [<options>]",
    discussion: """
      Scenarios are YAML files in loadtest/scenarios; --list shows them with their parameters, each of which is an option:

        loadtest run voice-room --start --listeners 20 --minutes 0.5
        loadtest run pk-battle --pairs 4 --audience 20 --minutes 2 --start
        loadtest run bad-network --of meeting --loss 5 --start

      The report is a folder with report.json and report.html. A scenario states limits; if one is broken, it is printed and the \
      exit status is 1. loadtest compare shows two reports side by side.
      """)

  @Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("The scenario's name or file, and parameters.", valueName: "scenario"))
  var words: [String] = []

  @Flag(help: "Show the scenarios and their parameters.")
  var list = false

  @OptionGroup var own: StartOptions

  @OptionGroup var connection: ConnectionOptions

  @Option(help: "Without --start: the server's RTMP port.")
  var rtmpPort: UInt16 = 1935

  @Option(help: "The base scenario of a variant such as bad-network, replacing its default.")
  var of: String?

  @Option(
    help: ArgumentHelp(
      "A limit that replaces the scenario's for the same figure: \"audio_gap_ms max <= 80\"; may be repeated.",
      valueName: "limit"))
  var limit: [String] = []

  @Option(help: "The folder that the report is written into (default: loadtest-reports/<scenario>-<time>).")
  var report: String?

  func validate() throws {
    do {
      let call = try RunArguments(words)
      guard list || call.name != nil else {
        throw ValidationError("a scenario is required: \(ScenarioFiles().names.joined(separator: ", "))")
      }
      for text in limit { _ = try Limit(parsing: text) }
    } catch let error as ScenarioError { throw ValidationError(error.description) }
  }

  /// Returns the scenario with the overrides of the command line.
  func scenario(_ files: ScenarioFiles = ScenarioFiles()) throws -> Scenario {
    let call = try RunArguments(words)
    var scenario = try files.scenario(call.name ?? "", of: of)
    for (name, value) in call.values { try scenario.values.set(name, to: value) }
    for text in limit { scenario.replace(try Limit(parsing: text)) }
    return scenario
  }

  func run() async throws {
    let status = StatusReport()
    let scenario: Scenario
    do {
      if list { return try status.line(Self.listing(ScenarioFiles())) }
      scenario = try self.scenario()
    } catch let error as ScenarioError { throw ValidationError(error.description) }
    let outcome = try await play(scenario, status)
    let folder = try write(outcome)
    status.line(RunTable.summary(outcome))
    status.line("The report is in \(folder.path)")
    for error in outcome.errors {
      FileHandle.standardError.write(Data("loadtest: \(error)\n".utf8))
    }
    guard outcome.isGood else { throw ExitCode.failure }
  }

  private func play(_ scenario: Scenario, _ status: StatusReport) async throws -> RunReport {
    let stop = StopSignal()
    try DescriptorLimit.raise(to: 2048)
    let started = try await own.start ? own.startRoomserver() : nil
    return try await running {
      let tokens = if let started { started.address.tokens } else { try await connection.tokens() }
      let recorder = Recorder()
      let network = LossyNetwork(scenario.values)
      let stage = try Stage(
        signalling: started?.address.signalling ?? connection.url, rtmpPort: started?.rtmpPort ?? rtmpPort, tokens: tokens,
        network: network, recorder: recorder)
      if network != nil, !stage.isLocal {
        throw ScenarioError(
          "loss, delay and jitter are simulated on this machine: the server must be at 127.0.0.1, not \(stage.host)")
      }
      let report = await ScenarioRun(
        scenario: scenario, stage: stage, server: started == nil ? connection.url : "started", status: status
      ).perform { await stop.wait() }
      network?.stop()
      return report
    } end: {
      await started?.process.stop()
    }
  }

  /// Writes both files and returns their folder.
  private func write(_ outcome: RunReport) throws -> URL {
    let stamp = Date(timeIntervalSince1970: Double(outcome.startedAt) / 1000)
      .formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
    let folder = URL(filePath: report ?? "loadtest-reports/\(outcome.scenario)-\(stamp)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try outcome.json.write(to: folder.appending(path: "report.json"))
    try ReportPage.html(outcome).write(to: folder.appending(path: "report.html"), atomically: true, encoding: .utf8)
    return folder
  }

  static func listing(_ files: ScenarioFiles) throws -> String {
    var lines: [String] = []
    for name in files.names {
      let scenario = try files.scenario(name)
      lines.append("\(name): \(scenario.about)")
      for parameter in scenario.values.parameters {
        let value = Parameter.text(scenario.values[parameter])
        lines.append("  --\(parameter.name.padding(toLength: 12, withPad: " ", startingAt: 0)) \(value): \(parameter.about)")
      }
      lines += scenario.limits.map { "  limit: \($0.text)" }
    }
    return lines.joined(separator: "\n")
  }
}

/// The scenario's name and the parameters on a command line.
struct RunArguments: Equatable {
  var name: String?
  var values: [String: Double] = [:]

  init(_ words: [String]) throws(ScenarioError) {
    var rest = words[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        guard name == nil else { throw ScenarioError("only one scenario is allowed, not \(name ?? "") and \(word)") }
        name = word
        continue
      }
      let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1).map(String.init)
      guard let parameter = parts.first else { throw ScenarioError("\(word) is not a parameter") }
      guard let text = parts.count > 1 ? parts[1] : rest.popFirst() else {
        throw ScenarioError("--\(parameter) requires a number")
      }
      guard let value = Double(text) else { throw ScenarioError("--\(parameter) requires a number, not \"\(text)\"") }
      values[parameter] = value
    }
  }
}
