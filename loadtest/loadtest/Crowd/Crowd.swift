import ArgumentParser
import Foundation
import RoomProtocol

/// Measures what actions of one participant cost the server in a room with many participants.
struct Crowd: MeasuringCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure what a join, a publish and a message cost a server in a large room.",
    discussion: """
      People join one room, one after the other. Then some send messages, publish, lose their connections, come back and leave; \
      at last everybody is offered one person's track. They signal and send no media. Each figure is the CPU of the server's \
      process, divided by how often the thing happened:

        loadtest crowd --start --people 1000

      With --start each measurement has a server of its own on free ports of 127.0.0.1, which stores rooms in a folder of its \
      own. --than measures another program in turn with the first, as often as --pairs says; reports call each by the name of its \
      folder. Without --start the server runs already at --url, without limits for one address: --http-per-address 0 \
      --joins-per-second 1000.
      """)

  @Option(help: "Number of participants, 3 to 10000; a server allows 1000 per room.")
  var people = 1000

  @Option(help: "Number of final joins that are measured separately, 1 to 10000.")
  var lastJoins = 100

  @Option(help: "Number of messages to the whole room, 1 to 10000.")
  var messages = 50

  @Option(help: "Length of a message's text in bytes, 1 to 4096.")
  var messageBytes = 50

  @Option(help: "Number of participants that publish, 0 to 1000.")
  var publishes = 20

  @Option(help: "Number of participants whose connections are lost and resumed, 0 to 10000.")
  var losses = 50

  @Option(help: "Number of participants that leave, 0 to 10000.")
  var leaves = 50

  @Option(help: "Number of measurements of each server, alternating between servers.")
  var pairs = 1

  @OptionGroup var own: StartOptions

  @Option(help: ArgumentHelp("With --start: another server executable to compare with.", valueName: "program"))
  var than: String?

  @OptionGroup var connection: ConnectionOptions

  @Option(help: "Without --start: the server's process id.")
  var serverPid: Int32?

  @Option(help: "Without --start: the room, which must be empty.")
  var room = "crowd"

  @Flag(help: "Print one JSON object and nothing else.")
  var json = false

  @Option(help: ArgumentHelp("Draw the comparison into this SVG file.", valueName: "file"))
  var chart: String?

  func validate() throws {
    try check("people", people, 3...10_000)
    try check("last-joins", lastJoins, 1...10_000)
    try check("messages", messages, 1...10_000)
    try check("message-bytes", messageBytes, 1...4096)
    try check("publishes", publishes, 0...1000)
    try check("losses", losses, 0...10_000)
    try check("leaves", leaves, 0...10_000)
    try check("pairs", pairs, 1...100)
    try own.check(serverPid: serverPid, than: than, pairs: pairs, needsPid: true)
  }

  /// The options that are the same for every server. Each action is done by a different participant.
  var plan: CrowdPlan {
    CrowdPlan(
      people: people, lastJoins: min(lastJoins, people), messages: messages, messageBytes: messageBytes,
      publishes: min(publishes, people - 2), losses: min(losses, people), leaves: leaves)
  }

  func measure(_ progress: ProgressLine) async throws -> Series<CrowdResult> {
    try DescriptorLimit.raise(to: 2 * people + 256)
    guard own.start else {
      return Series([try await CrowdRun(plan: plan, target: try await runningServer(), progress: progress).measure()])
    }
    return try await Series.measure([own.program] + [than].compactMap { $0 }, rounds: pairs, progress) { program in
      try await measure(program, progress)
    }
  }

  /// Starts an executable and measures it.
  private func measure(_ program: String, _ progress: ProgressLine) async throws -> CrowdResult {
    let data = try ServerProcess.folder("crowd-data")
    defer { try? FileManager.default.removeItem(at: data) }
    let address = "127.0.0.1"
    // If an option occurs twice, the last value applies; therefore the command line's options come last.
    let started = try await StartedServers.roomserver(
      program: program, arguments: ["--data", data.path] + own.roomserverArgument, address: address)
    return try await started.measured.measure { server in
      let target = CrowdTarget(
        name: Self.name(of: program), host: address, port: started.port, tokens: server.target.tokens, room: RoomName(room),
        pid: started.process.pid)
      return try await CrowdRun(plan: plan, target: target, progress: progress).measure()
    }
  }

  /// Returns the name of the executable's folder.
  static func name(of program: String) -> String {
    let folder = URL(filePath: program).deletingLastPathComponent().lastPathComponent
    return folder.isEmpty || folder == "/" ? "roomserver" : folder
  }

  private func runningServer() async throws -> CrowdTarget {
    guard let url = URLComponents(string: connection.url), let host = url.host, let scheme = url.scheme,
      ["ws", "wss"].contains(scheme)
    else { throw ValidationError("--url is not a WebSocket URL") }
    let isSecure = scheme == "wss"
    return CrowdTarget(
      name: "roomserver", host: host, port: UInt16(clamping: url.port ?? (isSecure ? 443 : 80)), isSecure: isSecure,
      path: url.path.isEmpty ? "/" : url.path, tokens: try await connection.tokens(), room: RoomName(room), pid: serverPid ?? 0)
  }
}
