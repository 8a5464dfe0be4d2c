import ArgumentParser
import Foundation
import RoomProtocol

/// Measures what mixing costs a server in a voice room with a few speakers and many listeners.
struct Voice: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure what a voice room with a few speakers and many listeners costs a server.",
    discussion: """
      Each speaker says a tone of its own and hears everybody but itself; each listener hears them all, in one track. Several \
      targets are measured one after the other with the same bots, as often as --pairs says:

        loadtest voice --start --target roomserver --target janus --speakers 8 --listeners 100 --seconds 20

      With --start each measurement has a server of its own on free ports. Without it the servers run already: roomserver at \
      --url, Janus at --janus-url, and --server-pid tells whose CPU and memory to measure. Janus takes no loopback address: \
      loadtest/own-network.sh has another one.
      """)

  @Option(help: "roomserver or janus; may be repeated.")
  var target: [VoiceServerKind] = [.roomserver]

  @Option(help: "Number of speakers, 1 to 24.")
  var speakers = 8

  @Option(help: "Number of listeners, 1 to 900.")
  var listeners = 100

  @Option(help: "Length of the measurement window in seconds.")
  var seconds = 20.0

  @Option(help: "Bitrate of each voice and each mix in kbps.")
  var kbps = 64

  @Option(help: "Sampling rate of Janus' mix in Hz; this server's is 48000.")
  var samplingRate = 48_000

  @Option(help: "SRTP profile that the bots offer: gcm or cm.")
  var profile = FanoutProfile.gcm

  @Option(help: "Number of measurements of each target, alternating between targets.")
  var pairs = 1

  @Option(help: "Number of concurrent joins.")
  var joinsAtOnce = 2

  @OptionGroup var own: StartOptions

  @Option(help: "With --start: the server's executable.")
  var janus = "/usr/bin/janus"

  @Option(help: "With --start: the address that servers listen on (default: as with fanout).")
  var address: String?

  @Option(help: "Without --start: a server's process id; once per target, in the same order.")
  var serverPid: [Int32] = []

  @Option(help: "Without --start: the address of Janus' WebSocket API.")
  var janusUrl = "ws://127.0.0.1:8188/"

  @OptionGroup var connection: ConnectionOptions

  @Option(help: "The room, which is created.")
  var room = "voice"

  @Flag(help: "Print one JSON object and nothing else.")
  var json = false

  func validate() throws {
    func check(_ name: String, _ value: some Comparable & CustomStringConvertible, _ isGood: Bool, _ range: String) throws {
      guard isGood else { throw ValidationError("--\(name) is \(range), not \(value)") }
    }
    try check("speakers", speakers, (1...24).contains(speakers), "1 to 24")
    try check("listeners", listeners, (1...900).contains(listeners), "1 to 900")
    try check("seconds", seconds, (0.5...3600).contains(seconds), "0.5 to 3600")
    try check("kbps", kbps, (32...256).contains(kbps), "32 to 256")
    try check(
      "sampling-rate", samplingRate, [8000, 12_000, 16_000, 24_000, 48_000].contains(samplingRate),
      "8000, 12000, 16000, 24000 or 48000")
    try check("pairs", pairs, (1...100).contains(pairs), "1 to 100")
    try check("joins-at-once", joinsAtOnce, (1...100).contains(joinsAtOnce), "1 to 100")
    guard !target.isEmpty, Set(target).count == target.count else {
      throw ValidationError("each --target may be given only once")
    }
    guard serverPid.isEmpty || !own.start else { throw ValidationError("--server-pid can't be combined with --start") }
    guard serverPid.isEmpty || serverPid.count == target.count else {
      throw ValidationError("--server-pid must be given once per --target, in the same order")
    }
  }

  /// The options that are the same for every server.
  var plan: VoicePlan {
    VoicePlan(
      speakers: speakers, listeners: listeners, seconds: seconds, kbps: kbps, samplingRate: samplingRate,
      joinsAtOnce: joinsAtOnce, profile: profile)
  }

  func run() async throws {
    let stop = StopSignal()
    let progress = FanoutProgress(isWanted: !json)
    let series: VoiceSeries
    do {
      series = try await withThrowingTaskGroup(of: VoiceSeries.self) { group in
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
    if json {
      FileHandle.standardOutput.write(Data((try Self.text(series) + "\n").utf8))
    } else {
      progress.line(VoiceTable.text(series))
    }
    guard series.runs.allSatisfy(\.isValid) else { throw ExitCode.failure }
  }

  /// Returns a single measurement as an object and several as a series.
  static func text(_ series: VoiceSeries) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    let only = series.runs.count == 1 ? series.runs.first : nil
    let data = if let only { try encoder.encode(only) } else { try encoder.encode(series) }
    return String(decoding: data, as: UTF8.self)
  }

  private func measureAll(_ progress: FanoutProgress) async throws -> VoiceSeries {
    try DescriptorLimit.raise(to: 2 * listeners + 256)
    let tones = try SpokenTones(speakers: speakers, kbps: kbps)
    var runs: [VoiceResult] = []
    for pair in 1...pairs {
      for (index, kind) in target.enumerated() {
        let server = try await server(kind, index: index)
        let result: VoiceResult
        do {
          result = try await VoiceRun(
            plan: plan, tones: tones, kind: kind, target: server.target, server: server.pid, progress: progress
          ).measure()
        } catch {
          await server.process?.stop()
          throw error
        }
        await server.process?.stop()
        runs.append(result)
        guard pairs * target.count > 1 else { continue }
        let cpu = result.cpuPercentPerListener.map { String(format: ", %.3f %% of a core per listener", $0) } ?? ""
        progress.line("\(pair)/\(pairs) \(kind): \(result.packets) packets\(cpu), \(result.lostPackets) lost")
      }
    }
    return VoiceSeries(runs)
  }

  private func server(
    _ kind: VoiceServerKind, index: Int
  ) async throws -> (target: any VoiceTarget, pid: Int32?, process: ServerProcess?) {
    let pid = serverPid.isEmpty ? nil : serverPid[index]
    switch kind {
    case .roomserver:
      guard own.start else {
        guard var parts = URLComponents(string: connection.url) else { throw ValidationError("--url is not a valid URL") }
        parts.scheme = parts.scheme == "wss" ? "https" : "http"
        parts.path = "/"
        parts.query = nil
        guard let base = parts.url else { throw ValidationError("--url is not a valid URL") }
        let target = RoomserverVoice(
          base: base, signalling: connection.url, tokens: try await connection.tokens(), room: RoomName(room), kbps: kbps)
        return (target, pid, nil)
      }
      let address = try ownAddress()
      let started = try await own.startRoomserver(at: address)
      guard let base = URL(string: "http://\(address):\(started.port)/") else {
        throw ValidationError("--address is not a valid address")
      }
      let target = RoomserverVoice(
        base: base, signalling: "ws://\(address):\(started.port)/v1/signal",
        tokens: try await TokenMint(key: StartedServers.key, secret: started.secret), room: RoomName(room), kbps: kbps)
      return (target, started.process.pid, started.process)
    case .janus:
      guard own.start else { return (JanusBridge(url: janusUrl, samplingRate: samplingRate, kbps: kbps), pid, nil) }
      let started = try await StartedServers.janus(program: janus, address: try ownAddress(), plugin: "audiobridge")
      let target = JanusBridge(url: started.url, samplingRate: samplingRate, kbps: kbps)
      return (target, started.process.pid, started.process)
    }
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
}
