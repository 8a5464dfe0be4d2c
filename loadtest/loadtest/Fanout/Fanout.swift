import ArgumentParser
import Foundation
import RoomProtocol

/// Measures what many subscribers of one publisher cost the server.
struct Fanout: MeasuringCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure what forwarding from one publisher to many subscribers costs a server.",
    discussion: """
      The bots do ICE and DTLS as every client does, and count the SRTP packets that come. Several targets are measured one after \
      the other with the same bots, as often as --pairs says:

        loadtest fanout --start --target roomserver --target janus --subscribers 200 --seconds 20 --pairs 5

      With --start each measurement has a server of its own on free ports. Without it the servers run already: roomserver at \
      --url, a WHIP and WHEP server at --whep-url, Janus at --janus-url, and --server-pid tells whose CPU and memory to measure.
      """)

  @Option(help: "roomserver, whep, janus or floor, a loop that only seals and sends; may be repeated.")
  var target: [TargetKind] = [.roomserver]

  @Option(help: "Number of subscribers, 1 to 4000.")
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

  @OptionGroup var servers: ServerOptions

  @Option(help: "Without --start: the base URL of /whip/{room} and /whep/{room}.")
  var whepUrl = "http://127.0.0.1:8080"

  @Option(help: "The room.")
  var room = "fanout"

  @Flag(help: "Print one JSON object and nothing else.")
  var json = false

  @Option(help: ArgumentHelp("Draw the comparison into this SVG file.", valueName: "file"))
  var chart: String?

  func validate() throws {
    try check("subscribers", subscribers, 1...4000)
    try check("publishers", publishers, 1...16)
    try check("seconds", seconds, 0.5...3600)
    try check("kbps", kbps, 50...20_000)
    try check("pairs", pairs, 1...100)
    try check("joins-at-once", joinsAtOnce, 1...1000)
    try check("threads", threads, 1...64)
    try check("feedback", feedback, feedback == 0 || (10...10_000).contains(feedback), "0 or 10 to 10000")
    try check(targets: target)
    try servers.check(targets: target.count)
    guard publishers == 1 || !target.contains(where: { $0 == .whep || $0 == .floor }) else {
      throw ValidationError("--publishers must be 1 with --target whep and floor, because a WHEP viewer receives one user")
    }
    guard !target.contains(.floor) || (servers.own.start && profile == .gcm) else {
      throw ValidationError("--target floor requires --start and --profile gcm")
    }
  }

  /// The options that are the same for every server.
  var plan: FanoutPlan {
    FanoutPlan(
      subscribers: subscribers, publishers: publishers, seconds: seconds, kbps: kbps, profile: profile, seed: seed,
      joinsAtOnce: joinsAtOnce, threads: threads, feedback: feedback)
  }

  func measure(_ progress: ProgressLine) async throws -> Series<FanoutResult> {
    progress.now("encoding VP8 at \(kbps) kbps")
    let media = try RecordedMedia(bitrate: kbps * 1000, seed: seed)
    return try await Series.measure(target, rounds: pairs, progress) { kind in
      try await server(kind).measure { server in
        try await FanoutRun(plan: plan, media: media, kind: kind, server: server, progress: progress).measure()
      }
    }
  }

  private func server(_ kind: TargetKind) async throws -> MeasuredServer<any FanoutTarget> {
    let index = target.firstIndex(of: kind)
    let besideJanus = target.contains(.janus)
    switch kind {
    case .roomserver:
      return try await servers.roomserver(index, besideJanus: besideJanus).map {
        RoomserverTarget(server: $0, room: RoomName(room))
      }
    case .whep:
      if servers.own.start {
        return try await servers.roomserver(index, besideJanus: besideJanus).map {
          WHEPTarget(base: $0.base, tokens: $0.tokens, room: RoomName(room))
        }
      }
      guard let base = URL(string: whepUrl) else { throw ValidationError("--whep-url is not a valid URL") }
      let target = WHEPTarget(base: base, tokens: try await servers.connection.tokens(), room: RoomName(room))
      return MeasuredServer(target: target, pid: servers.pid(index), metrics: base.appending(path: "metrics"))
    case .floor:
      // The floor takes any token.
      let tokens = try await TokenMint(key: "floor", secret: String(repeating: "floor", count: 8))
      return try await servers.floor(besideJanus: besideJanus).map {
        WHEPTarget(base: $0, tokens: tokens, room: RoomName(room))
      }
    case .janus:
      // Janus identifies rooms by numbers.
      let number = 1000 + abs(room.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) % 1_000_000 })
      return try await servers.janus(index, plugin: JanusTarget.plugin).map {
        JanusTarget(url: $0, room: number, publishers: publishers)
      }
    }
  }
}

extension FanoutProfile: ExpressibleByArgument {}
