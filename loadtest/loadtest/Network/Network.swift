import ArgumentParser
import Foundation

/// The servers that are compared behind a bad network.
enum NetworkServerKind: String, Sendable, CaseIterable, Codable, ExpressibleByArgument {
  /// This server.
  case roomserver
  /// Janus' videoroom as it is.
  case janus
  /// Janus' videoroom with a page that selects the layer, as its documentation leaves to the app.
  case janusApp = "janus-app"
  /// The SFU of `Benchmarks/pion`: Pion with its congestion control.
  case pion
}

/// Measures what subscribers behind a bad network see and hear.
struct Network: MeasuringCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure what people behind a bad network see and hear.",
    discussion: """
      Each measurement has a server of its own in a network of its own, and an IP link, the same for every server, to those \
      behind it. Each scenario has limits; a broken one is printed, and the exit status is 1 if this server breaks one. \
      Requires root or user namespaces, and for all scenarios but the meetings a Chromium.

        loadtest network n6-meeting-3
        loadtest network --list
      """)

  @Argument(help: "Scenarios; `all` for all of them.")
  var scenario: [String] = []

  @Flag(help: "Show the scenarios and their limits.")
  var list = false

  @Option(help: "\(NetworkServerKind.allCases.map(\.rawValue).joined(separator: ", ")); may be repeated.")
  var target: [NetworkServerKind] = [.roomserver]

  @Option(help: "Number of measurements of each scenario and target, alternating between targets.")
  var pairs = 1

  @Option(help: "Length of the measurement window in seconds (default: that of the scenario).")
  var seconds: Double?

  @Option(help: "Number of changes of layer in n12-switches.")
  var switches = 1000

  @Option(help: "Seed of the losses, the jitter and the order of layers.")
  var seed: UInt64 = 1

  @Option(help: "Number of temporal layers in each layer of the published video, 1 to 3.")
  var temporalLayers = 1

  @Option(help: "This server's executable (default: roomserver in the folder of loadtest).")
  var roomserver: String?

  @Option(help: ArgumentHelp("An additional argument of `roomserver serve`; may be repeated.", valueName: "argument"))
  var roomserverArgument: [String] = []

  @Option(help: "Janus' executable.")
  var janus = "/usr/bin/janus"

  @Option(help: "The executable that Benchmarks/pion/build.sh makes.")
  var pion = "pion-sfu"

  @Option(help: ArgumentHelp("Write the browser's getStats() of the last measurement into this file.", valueName: "file"))
  var samples: String?

  @Flag(help: "Print one JSON object and nothing else.")
  var json = false

  @Option(help: ArgumentHelp("Draw the comparison into this SVG file.", valueName: "file"))
  var chart: String?

  func validate() throws {
    guard list || !scenario.isEmpty else { throw ValidationError("a scenario is required; --list shows them") }
    do { _ = try scenarios() } catch { throw ValidationError(error.description) }
    if let seconds { try check("seconds", seconds, 5...3600) }
    try check("pairs", pairs, 1...100)
    try check("temporal-layers", temporalLayers, 1...3)
    try check("switches", switches, 1...100_000)
    try check(targets: target)
  }

  /// Returns the scenarios that the arguments name.
  func scenarios() throws(ScenarioError) -> [NetworkScenario] {
    if scenario == ["all"] { return NetworkScenario.all }
    return try NetworkScenario.named(scenario)
  }

  func measure(_ progress: ProgressLine) async throws -> Series<NetworkResult> {
    if list {
      progress.line(Self.listing)
      throw ExitCode.success
    }
    try OwnNamespace.enter()
    let scenarios = try scenarios()
    // Only this server's clients publish from behind the link.
    let subjects = scenarios.flatMap { scenario in
      target.filter { scenario.play == .watch || $0 == .roomserver }.map { NetworkSubject(scenario: scenario.name, server: $0) }
    }
    guard !subjects.isEmpty else { throw LoadtestError.system("these scenarios need --target roomserver") }
    let isRecorded = scenarios.contains(where: \.usesRecording)
    if isRecorded { progress.now("encoding") }
    let layers = isRecorded ? try NetworkMedia.layers(seed: seed, temporalLayers: temporalLayers) : []
    return try await Series.measure(subjects, rounds: pairs, progress) { subject in
      guard let scenario = scenarios.first(where: { $0.name == subject.scenario }) else { throw LoadtestError.stopped }
      return try await NetworkRun(command: self, scenario: scenario, subject: subject, layers: layers, progress: progress)
        .measure()
    }
  }

  static var listing: String {
    NetworkScenario.all.map { scenario in
      let limits = scenario.limits.map(\.text).joined(separator: ", ")
      return "\(scenario.name): \(scenario.about)\n  \(Int(scenario.seconds)) s; \(limits)"
    }.joined(separator: "\n")
  }
}
