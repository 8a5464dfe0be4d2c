import ArgumentParser
import Foundation
import RoomProtocol

/// Measures what many subscribers of one publisher cost the server.
struct Fanout: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure what forwarding from one publisher to many subscribers costs a server.",
    discussion: """
      The bots do ICE and DTLS as every client does, and count the SRTP packets that come. Several targets are measured one after \
      the other with the same bots, as often as --pairs says:

        loadtest fanout --start --target roomserver --target janus --subscribers 200 --seconds 20 --pairs 5

      With --start each measurement has a server of its own on free ports. Without it the servers run already: roomserver at \
      --url, a WHIP and WHEP server at --whep-url, Janus at --janus-url, and --server-pid tells whose CPU and memory to measure.
      """)

  @Option(help: "roomserver, whep or janus; may be repeated.")
  var target: [TargetKind] = [.roomserver]

  @Option(help: "Number of subscribers, 1 to 2000.")
  var subscribers = 200

  @Option(help: "Number of publishers, 1 to 16.")
  var publishers = 1

  @Option(help: "Length of the measurement window in seconds.")
  var seconds = 20.0

  @Option(help: "Video bitrate of each publisher in kbps.")
  var kbps = 1000

  @Option(help: "SRTP profile that the bots offer: gcm or cm.")
  var profile = FanoutProfile.gcm

  @Option(help: "Seed of the noise in the picture.")
  var seed: UInt64 = 1

  @Option(help: "Number of measurements of each target, alternating between targets.")
  var pairs = 1

  @Option(help: "Number of concurrent joins.")
  var joinsAtOnce = 2

  @Option(help: "Number of threads that run subscribers.")
  var threads = 1

  @Option(help: "Interval of a subscriber's transport-wide feedback in milliseconds; 0 sends none.")
  var feedback = 0

  @OptionGroup var own: StartOptions

  @Option(help: "With --start: the server's executable.")
  var janus = "/usr/bin/janus"

  @Option(
    help: """
      With --start: the address that servers listen on (default: 127.0.0.1; with Janus, which takes no loopback address, \
      that of the first other interface: see own-network.sh)
      """)
  var address: String?

  @Option(help: "Without --start: a server's process id; once per target, in the same order.")
  var serverPid: [Int32] = []

  @Option(help: "Without --start: the address of Janus' WebSocket API.")
  var janusUrl = "ws://127.0.0.1:8188/"

  @Option(help: "Without --start: the base URL of /whip/{room} and /whep/{room}.")
  var whepUrl = "http://127.0.0.1:8080"

  @OptionGroup var connection: ConnectionOptions

  @Option(help: "The room.")
  var room = "fanout"

  @Flag(help: "Print one JSON object and nothing else.")
  var json = false

  @Option(help: ArgumentHelp("Draw the comparison into this SVG file.", valueName: "file"))
  var chart: String?

  func validate() throws {
    func check(_ name: String, _ value: some Comparable & CustomStringConvertible, _ isGood: Bool, _ range: String) throws {
      guard isGood else { throw ValidationError("--\(name) is \(range), not \(value)") }
    }
    try check("subscribers", subscribers, (1...2000).contains(subscribers), "1 to 2000")
    try check("publishers", publishers, (1...16).contains(publishers), "1 to 16")
    try check("seconds", seconds, (0.5...3600).contains(seconds), "0.5 to 3600")
    try check("kbps", kbps, (50...20_000).contains(kbps), "50 to 20000")
    try check("pairs", pairs, (1...100).contains(pairs), "1 to 100")
    try check("joins-at-once", joinsAtOnce, (1...1000).contains(joinsAtOnce), "1 to 1000")
    try check("threads", threads, (1...64).contains(threads), "1 to 64")
    try check("feedback", feedback, feedback == 0 || (10...10_000).contains(feedback), "0 or 10 to 10000")
    guard !target.isEmpty, Set(target).count == target.count else {
      throw ValidationError("each --target may be given only once")
    }
    guard publishers == 1 || !target.contains(.whep) else {
      throw ValidationError("--publishers must be 1 with --target whep, because a WHEP viewer receives one user")
    }
    guard serverPid.isEmpty || !own.start else { throw ValidationError("--server-pid can't be combined with --start") }
    guard serverPid.isEmpty || serverPid.count == target.count else {
      throw ValidationError("--server-pid must be given once per --target, in the same order")
    }
  }

  /// The options that are the same for every server.
  var plan: FanoutPlan {
    FanoutPlan(
      subscribers: subscribers, publishers: publishers, seconds: seconds, kbps: kbps, profile: profile, seed: seed,
      joinsAtOnce: joinsAtOnce, threads: threads, feedback: feedback)
  }

  func run() async throws {
    let stop = StopSignal()
    let progress = FanoutProgress(isWanted: !json)
    let series: FanoutSeries
    do {
      series = try await withThrowingTaskGroup(of: FanoutSeries.self) { group in
        group.addTask { try await measureAll(progress) }
        group.addTask {
          await stop.wait()
          throw FanoutError.stopped
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw FanoutError.stopped }
        return first
      }
    } catch let error as FanoutError {
      progress.line("")
      FileHandle.standardError.write(Data("loadtest: \(error)\n".utf8))
      throw ExitCode.failure
    }
    if let chart { try FanoutChart.svg(series).write(toFile: chart, atomically: true, encoding: .utf8) }
    if json {
      FileHandle.standardOutput.write(Data((try Self.text(series) + "\n").utf8))
    } else {
      progress.line(FanoutTable.text(series))
    }
    guard series.runs.allSatisfy(\.isValid) else { throw ExitCode.failure }
  }

  /// Returns a single measurement as an object and several as a series.
  static func text(_ series: FanoutSeries) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    let only = series.runs.count == 1 ? series.runs.first : nil
    let data = if let only { try encoder.encode(only) } else { try encoder.encode(series) }
    return String(decoding: data, as: UTF8.self)
  }

  private func measureAll(_ progress: FanoutProgress) async throws -> FanoutSeries {
    progress.now("encoding VP8 at \(kbps) kbps")
    let media = try RecordedMedia(bitrate: kbps * 1000, seed: seed)
    var runs: [FanoutResult] = []
    for pair in 1...pairs {
      for (index, kind) in target.enumerated() {
        let server = try await server(kind, index: index)
        do {
          let result = try await FanoutRun(
            plan: plan, media: media, kind: kind, target: server.target, server: server.pid, metrics: server.metrics,
            progress: progress
          ).measure()
          runs.append(result)
          await server.process?.stop()
        } catch {
          await server.process?.stop()
          throw error
        }
        if pairs * target.count > 1, let result = runs.last {
          progress.line(
            "\(pair)/\(pairs) \(kind): \(Int(result.packetsPerSecond)) packets/s"
              + (result.cpuPerPacket.map { String(format: ", %.2f µs/packet", $0) } ?? "") + ", \(result.lostPackets) lost")
        }
      }
    }
    return FanoutSeries(runs)
  }

  private struct Server {
    var target: any FanoutTarget
    var pid: Int32?
    var metrics: URL?
    /// Set if the server was started for this measurement.
    var process: ServerProcess?
  }

  private func server(_ kind: TargetKind, index: Int) async throws -> Server {
    let pid = serverPid.isEmpty ? nil : serverPid[index]
    switch kind {
    case .roomserver:
      guard own.start else {
        return Server(
          target: RoomserverTarget(url: connection.url, tokens: try await connection.tokens(), room: RoomName(room)), pid: pid,
          metrics: Self.metrics(of: connection.url))
      }
      let started = try await startedRoomserver()
      return Server(
        target: RoomserverTarget(url: started.signalling, tokens: started.tokens, room: RoomName(room)),
        pid: started.process.pid,
        metrics: started.base.appending(path: "metrics"), process: started.process)
    case .whep:
      guard own.start else {
        guard let base = URL(string: whepUrl) else { throw ValidationError("--whep-url is not a valid URL") }
        return Server(
          target: WHEPTarget(base: base, tokens: try await connection.tokens(), room: RoomName(room)), pid: pid,
          metrics: base.appending(path: "metrics"))
      }
      let started = try await startedRoomserver()
      return Server(
        target: WHEPTarget(base: started.base, tokens: started.tokens, room: RoomName(room)), pid: started.process.pid,
        metrics: started.base.appending(path: "metrics"), process: started.process)
    case .janus:
      // Janus identifies rooms by numbers.
      let number = 1000 + abs(room.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) % 1_000_000 })
      guard own.start else {
        return Server(target: JanusTarget(url: janusUrl, room: number, publishers: publishers), pid: pid)
      }
      let started = try await StartedServers.janus(program: janus, address: try ownAddress())
      return Server(
        target: JanusTarget(url: started.url, room: number, publishers: publishers), pid: started.process.pid,
        process: started.process)
    }
  }

  private struct StartedRoomserver {
    var process: ServerProcess
    var base: URL
    var signalling: String
    var tokens: TokenMint
  }

  private func startedRoomserver() async throws -> StartedRoomserver {
    let address = try ownAddress()
    let started = try await own.startRoomserver(at: address)
    guard let base = URL(string: "http://\(address):\(started.port)") else {
      throw ValidationError("--address is not a valid address")
    }
    return StartedRoomserver(
      process: started.process, base: base, signalling: "ws://\(address):\(started.port)/v1/signal",
      tokens: try await TokenMint(key: StartedServers.key, secret: started.secret))
  }

  private func ownAddress() throws -> String {
    if let address { return address }
    guard target.contains(.janus) else { return "127.0.0.1" }
    guard let address = OwnAddress.find() else {
      throw FanoutError.system(
        "Janus does not accept a loopback address, and there is no other: run this with loadtest/own-network.sh")
    }
    return address
  }

  /// Returns the metrics URL of a server of this project.
  private static func metrics(of signalling: String) -> URL? {
    guard var parts = URLComponents(string: signalling) else { return nil }
    parts.scheme = parts.scheme == "wss" ? "https" : "http"
    parts.path = "/metrics"
    parts.query = nil
    return parts.url
  }
}

extension FanoutProfile: ExpressibleByArgument {}
