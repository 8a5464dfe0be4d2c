import ArgumentParser
import Foundation
import RoomClient
import RoomProtocol

/// Clients that join at a steady rate through each node of a cluster.
struct JoinRate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "joins", abstract: "Measure joins at a steady rate through each node of a cluster.",
    discussion: """
      Each client joins one of the rooms by chance, through its node: if another node owns the room, the client is redirected, \
      which counts as part of the join. It leaves some seconds later. deploy/try-cluster.sh --joins also counts the commands of \
      Redis.
      """)

  @OptionGroup var connection: ConnectionOptions

  @Option(help: "The signalling address of another node; may be repeated.")
  var node: [String] = []

  @Option(help: "Rooms, which are made first, 1 to 10,000.")
  var rooms = 200

  @Option(help: "Joins a second at each node, 1 to 1000.")
  var rate = 20

  @Option(help: "Seconds to join for.")
  var seconds = 10.0

  @Option(help: "Seconds until a client leaves.")
  var stay = 5.0

  @Flag(help: "Only make the rooms, and leave them.")
  var make = false

  @Flag(help: "Use rooms that --make has made.")
  var made = false

  func validate() throws {
    guard (1...10_000).contains(rooms) else { throw ValidationError("--rooms must be 1 to 10000, not \(rooms)") }
    guard (1...1000).contains(rate) else { throw ValidationError("--rate must be 1 to 1000, not \(rate)") }
    guard (0.1...3600).contains(seconds) else { throw ValidationError("--seconds must be 0.1 to 3600") }
    guard (0...600).contains(stay) else { throw ValidationError("--stay must be 0 to 600 seconds") }
    guard !(make && made) else { throw ValidationError("--make and --made exclude each other") }
  }

  private struct Outcome: Sendable {
    var times: [Double] = []
    var failures: [String] = []
  }

  private struct Report: Codable {
    var joins: Int
    var failures: Int
    var p50Ms: Double
    var p95Ms: Double
    var maxMs: Double
    var seconds: Double
  }

  private static func name(_ number: Int) -> RoomName { "joins-\(number)" }

  func run() async throws {
    let tokens = try await connection.tokens()
    let urls = [connection.url] + node
    if !made {
      let stage = try Stage(signalling: connection.url, rtmpPort: nil, tokens: tokens, network: nil, recorder: Recorder())
      try await Several.each(rooms, atOnce: 4) { number in
        var room = Stage.NewRoom(name: Self.name(number))
        room.emptyTimeout = 600
        try await stage.make(room)
      }
    }
    if make { return }
    try DescriptorLimit.raise(to: 200 + Int(Double(rate * urls.count) * (stay + 5) * 2))
    let begin = ContinuousClock.now
    let outcome = try await join(urls, tokens)
    let seconds = (ContinuousClock.now - begin) / .seconds(1)
    let (times, failures) = (outcome.times, outcome.failures)
    for failure in Set(failures).sorted().prefix(5) { FileHandle.standardError.write(Data("\(failure)\n".utf8)) }
    func rounded(_ value: Double?) -> Double { ((value ?? 0) * 10).rounded() / 10 }
    let report = Report(
      joins: times.count, failures: failures.count, p50Ms: rounded(times.quantile(0.5)), p95Ms: rounded(times.quantile(0.95)),
      maxMs: rounded(times.max()), seconds: rounded(seconds))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    print(String(decoding: try encoder.encode(report), as: UTF8.self))
    guard failures.isEmpty else { throw ExitCode.failure }
  }

  private func join(_ urls: [String], _ tokens: TokenMint) async throws -> Outcome {
    let begin = ContinuousClock.now
    return try await withThrowingTaskGroup(of: Result<Double, LoadtestError>.self) { group in
      for step in 0..<Int(seconds * Double(rate)) {
        // Nodes in turn, so that their joins do not coincide.
        for (index, url) in urls.enumerated() {
          let due = begin + .seconds((Double(step) + Double(index) / Double(urls.count)) / Double(rate))
          try await Task.sleep(until: due, clock: .continuous)
          let room = Self.name(Int.random(in: 0..<rooms))
          let token = try tokens.token(for: UserID("u\(step)-\(index)"), in: room)
          group.addTask { await join(url, token) }
        }
      }
      return try await group.reduce(into: Outcome()) { outcome, result in
        switch result {
        case .success(let time): outcome.times.append(time)
        case .failure(let error): outcome.failures.append("\(error)")
        }
      }
    }
  }

  /// Joins, stays and leaves. Returns the time of the join in ms.
  private func join(_ url: String, _ token: String) async -> Result<Double, LoadtestError> {
    let begin = ContinuousClock.now
    do {
      let room = try await Room.connect(
        to: url, token: token, options: RoomOptions(autoSubscribe: false, statisticsInterval: nil))
      let time = (ContinuousClock.now - begin) / .milliseconds(1)
      try? await Task.sleep(for: .seconds(stay))
      await room.leave()
      return .success(time)
    } catch { return .failure(.refused("\(error)")) }
  }
}
