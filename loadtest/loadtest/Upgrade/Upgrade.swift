import ArgumentParser
import Foundation
import RoomProtocol

/// Bots of a PK and a voice room that stay while the nodes of their cluster are upgraded.
struct Upgrade: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure what listeners and live servers miss while the nodes of a cluster are upgraded.",
    discussion: """
      Two anchors in a PK, who are live at a server of this program, and a voice room, with listeners who join through all nodes. \
      Prints "measuring" once all of them receive each other. Upgrade the nodes then, and send SIGINT: the command prints a JSON \
      object, and exits with 1 if a room, a listener or a live was lost. deploy/try-cluster.sh does all of that.
      """)

  @OptionGroup var connection: ConnectionOptions

  @Option(help: "The signalling address of another node; may be repeated.")
  var node: [String] = []

  @Option(help: "Listeners in each of the three rooms, 1 to 50.")
  var listeners = 2

  func validate() throws {
    guard (1...50).contains(listeners) else { throw ValidationError("--listeners must be 1 to 50, not \(listeners)") }
  }

  func run() async throws {
    let stop = StopSignal()
    let tokens = try await connection.tokens()
    let stages = try ([connection.url] + node).map { url in
      try Stage(signalling: url, rtmpPort: nil, tokens: tokens, network: nil, recorder: Recorder())
    }
    let cast = try await UpgradeCast(stages, listeners: listeners)
    // Not print, which keeps the line until more follows.
    FileHandle.standardOutput.write(Data("measuring\n".utf8))
    await stop.wait()
    let report = await cast.report()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    print(String(decoding: try encoder.encode(report), as: UTF8.self))
    await cast.leave()
    guard report.isComplete else { throw ExitCode.failure }
  }
}
