import ArgumentParser
import Foundation
import Logging
import RoomServer
import RoomToken
import SFU
import ServiceLifecycle

/// `roomserver serve`
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the server until SIGINT or SIGTERM.",
    discussion: """
      Every flag but --dev can also come from the environment: ROOMSERVER_BIND, ROOMSERVER_PORT, ROOMSERVER_MEDIA_BIND, \
      ROOMSERVER_MEDIA_PORT, ROOMSERVER_MEDIA_TCP, ROOMSERVER_SEGMENTATION, ROOMSERVER_WORKERS, ROOMSERVER_ANNOUNCE, \
      ROOMSERVER_ANNOUNCE_BOUND, ROOMSERVER_ICE_SERVER, ROOMSERVER_TURN_SECRET, ROOMSERVER_TURN_LIFETIME, \
      ROOMSERVER_TURN_USERNAME, ROOMSERVER_TURN_CREDENTIAL, ROOMSERVER_KEY, ROOMSERVER_SECRET, ROOMSERVER_AUTO_CREATE, \
      ROOMSERVER_RTMP, ROOMSERVER_RTMP_PORT, ROOMSERVER_RTMP_BIND, ROOMSERVER_ORIGIN_NAME, ROOMSERVER_PUBLISH_KEY, \
      ROOMSERVER_PUBLISH_VALIDITY, ROOMSERVER_PLAY_KEY, ROOMSERVER_PLAY_VALIDITY, ROOMSERVER_OPEN_PUBLISH, ROOMSERVER_GATHER, \
      ROOMSERVER_RELAY_TARGET, ROOMSERVER_RELAY_QUEUE, ROOMSERVER_RELAY_TRIES, ROOMSERVER_RELAY_PATIENCE, \
      ROOMSERVER_RELAY_AUDIO_RATE, ROOMSERVER_RELAY_AUDIO_KBPS, ROOMSERVER_RELAY_CERTIFICATES, ROOMSERVER_BROADCASTS, \
      ROOMSERVER_RECORDINGS, ROOMSERVER_RECORDING_LIMIT, ROOMSERVER_PUSH_POLICY, ROOMSERVER_PUSH_URL, \
      ROOMSERVER_DATA, ROOMSERVER_DRAIN, ROOMSERVER_DRAIN_REDIRECT, ROOMSERVER_WEBHOOK, ROOMSERVER_WEBHOOK_SECRET, \
      ROOMSERVER_WEBHOOK_CERTIFICATES, ROOMSERVER_WEBHOOK_TIMEOUT, ROOMSERVER_WEBHOOK_MAX_AGE, ROOMSERVER_EVENTS_KEPT, \
      ROOMSERVER_JOINS_PER_SECOND, ROOMSERVER_LOG_LEVEL. Lists are written with commas. A flag counts more.

      With --dev the server makes a key pair for this run, prints it with a ready token and a link that signs in to the \
      console, makes rooms at the first join, and listens on the loopback address alone.
      """)

  @Flag(help: "Try it out: a random key pair, printed with a token; rooms made at the first join; loopback only.")
  var dev = false

  @OptionGroup var network: NetworkOptions

  @Option(help: ArgumentHelp("Media workers. Default: one for each core.", valueName: "count"))
  var workers: Int?

  @OptionGroup var iceServers: ICEServerOptions

  @OptionGroup var origin: OriginOptions

  @OptionGroup var hls: HLSOptions

  @OptionGroup var relay: RelayOptions

  @OptionGroup var webhooks: WebhookOptions

  @OptionGroup var keys: KeyOptions

  @Option(
    help: ArgumentHelp(
      "The directory for what outlives the server: it is made, and one server uses it at a time. \"none\" keeps nothing. "
        + "Default roomserver-data, with --dev none.", valueName: "directory"))
  var data: String?

  @Option(
    help: ArgumentHelp(
      "Seconds that SIGTERM leaves open rooms to end by themselves; no room is opened meanwhile. SIGINT ends at once. Default 0.",
      valueName: "seconds"))
  var drain: UInt32?

  @Option(
    help: ArgumentHelp(
      "The signalling URL of the server that takes over: new joins are sent there while this one drains, and whoever is left at "
        + "the end.", valueName: "url"))
  var drainRedirect: String?

  @Flag(inversion: .prefixedNo, help: "Make a room at the first join. Default: off, with --dev on.")
  var autoCreate: Bool?

  @Option(
    help: ArgumentHelp(
      "Joins that one address may make in a second, after a burst of five seconds' worth. Default 20.", valueName: "count"))
  var joinsPerSecond: Int?

  @Option(help: ArgumentHelp("trace, debug, info, notice, warning, error or critical. Default info.", valueName: "level"))
  var logLevel: String?

  func run() async throws {
    let environment = ServeEnvironment(ProcessInfo.processInfo.environment)
    let pair = try keys.pair() ?? (dev ? Self.randomPair() : nil)
    guard let pair else {
      throw ValidationError("an API key is needed: --key and --secret, or ROOMSERVER_KEY and ROOMSERVER_SECRET, or --dev")
    }
    var configuration = ServerConfiguration(keys: [pair.key: pair.secret])
    try network.apply(to: &configuration, environment, development: dev)
    try origin.apply(to: &configuration, environment, development: dev)
    try hls.apply(to: &configuration, environment)
    let addresses = [configuration.host, configuration.origin.host].compactMap { $0 } + configuration.media.bind
    for address in addresses where dev && !Self.isLoopback(address) {
      throw ValidationError(
        "--dev listens on a loopback address alone, and \(address) is none: its secret is not meant for others")
    }
    let directory = data ?? environment.text("DATA") ?? (dev ? "none" : "roomserver-data")
    guard !directory.isEmpty else { throw ValidationError("--data is a directory, or none") }
    configuration.data = directory == "none" ? nil : directory
    configuration.media.workers = try workers ?? environment.number("WORKERS")
    try relay.apply(to: &configuration, environment)
    try webhooks.apply(to: &configuration, environment)
    configuration.iceServers = try iceServers.settings(environment)
    configuration.autoCreateRooms = try autoCreate ?? environment.flag("AUTO_CREATE") ?? dev
    if let workers = configuration.media.workers, !(1...256).contains(workers) {
      throw ValidationError("--workers is 1 to 256")
    }
    if let joins = try joinsPerSecond ?? environment.number("JOINS_PER_SECOND") {
      guard (1...100_000).contains(joins) else { throw ValidationError("--joins-per-second is 1 to 100000") }
      configuration.limits.joinsPerSecond = Double(joins)
      configuration.limits.joinBurst = 5 * joins
    }
    guard let level = Logger.Level(rawValue: logLevel ?? environment.text("LOG_LEVEL") ?? "info") else {
      throw ValidationError("--log-level is trace, debug, info, notice, warning, error or critical")
    }

    let drainTime: UInt32 = try drain ?? environment.number("DRAIN") ?? 0
    guard drainTime <= 86_400 else { throw ValidationError("--drain is 0 to 86400 seconds") }
    let redirect = drainRedirect ?? environment.text("DRAIN_REDIRECT")
    if let redirect, let complaint = ServerConfiguration.complaint(drainRedirect: redirect) {
      throw ValidationError("--drain-redirect: \(complaint)")
    }

    DescriptorLimit.raise()
    var log = Logger(label: "roomserver") { StreamLogHandler.standardError(label: $0) }
    log.logLevel = level
    let server: RoomServer
    do {
      server = try await RoomServer.start(configuration, log: log)
    } catch {
      FileHandle.standardError.write(Data("roomserver: \(error)\n".utf8))
      throw ExitCode.failure
    }
    let isDevelopment = dev
    let running = RunningServer(server: server, drainTime: .seconds(Int(drainTime)), redirect: redirect) {
      if isDevelopment { await Self.greet(server, key: pair.key, secret: pair.secret) }
    }
    let services = ServiceGroupConfiguration(
      services: [.init(service: running, successTerminationBehavior: .gracefullyShutdownGroup)],
      gracefulShutdownSignals: [.sigterm], cancellationSignals: [.sigint], logger: log)
    do { try await ServiceGroup(configuration: services).run() } catch is CancellationError {}
  }

  /// Serves until a signal asks for the end, or a drain that was ordered over REST is over.
  private struct RunningServer: Service {
    let server: RoomServer
    let drainTime: Duration
    let redirect: String?
    /// Done when signals are heard already: whoever reads the greeting may send one at once.
    let greet: @Sendable () async -> Void

    func run() async throws {
      await greet()
      await withTaskGroup(of: Bool.self) { [server] tasks in
        tasks.addTask {
          try? await gracefulShutdown()
          return true
        }
        tasks.addTask {
          await server.drained()
          return false
        }
        let isSignal = await tasks.next() ?? true
        tasks.cancelAll()
        // SIGINT, which is a cancellation, does not wait for anybody.
        if isSignal, drainTime > .zero, !Task.isCancelled { await server.drain(for: drainTime, redirect: redirect) }
      }
      await server.stop()
    }
  }

  private static func isLoopback(_ address: String) -> Bool { address.hasPrefix("127.") || address == "::1" }

  private static func randomPair() -> (key: String, secret: String) {
    var generator = SystemRandomNumberGenerator()
    func hex(_ bytes: Int) -> String {
      (0..<bytes).map { _ in
        let byte = String(UInt8.random(in: .min ... .max, using: &generator), radix: 16)
        return byte.count == 1 ? "0" + byte : byte
      }.joined()
    }
    return ("dev" + hex(4), hex(32))
  }

  /// What a person needs to begin.
  private static func greet(_ server: RoomServer, key: String, secret: String) async {
    let day = Date(timeIntervalSinceNow: 86400)
    let token = RoomToken(room: "demo", user: "guest", grants: [.publish, .subscribe, .admin], expires: day)
    let keys = try? await TokenKeys([key: secret])
    let ready = (try? keys?.sign(token, key: key)) ?? ""
    let api = (try? keys?.sign(APIToken(key: key, expires: day))) ?? ""
    let host = server.configuration.host.contains(":") ? "[\(server.configuration.host)]" : server.configuration.host
    let address = "\(host):\(server.port)"
    let greeting = """

      roomserver runs for development.

        console     http://\(address)/#token=\(api)
        signalling  ws://\(address)/v1/signal
        RTMP        \(server.rtmpPort.map { "rtmp://\(host):\($0)/live" } ?? "off")
        API key     \(key)
        secret      \(secret)

      A token for room "demo", user "guest", one day:

        \(ready)

      More tokens:

        roomserver token --key \(key) --secret \(secret) --room demo --user alice --grant publish,subscribe --ttl 2h

      The REST API, with an API token for one day:

        curl -H "Authorization: Bearer \(api)" http://\(address)/v1/rooms


      """
    // Not by print: whoever reads this from a pipe waits for it, and print keeps it back.
    FileHandle.standardOutput.write(Data(greeting.utf8))
  }
}

/// The environment's part of the configuration: `ROOMSERVER_` and a name.
struct ServeEnvironment {
  private let variables: [String: String]

  init(_ variables: [String: String]) { self.variables = variables }

  func text(_ name: String) -> String? { variables["ROOMSERVER_" + name] }

  /// What stands between commas.
  func list(_ name: String) -> [String] { text(name)?.split(separator: ",").map(String.init) ?? [] }

  func number<Number: FixedWidthInteger>(_ name: String) throws -> Number? {
    guard let text = text(name) else { return nil }
    guard let number = Number(text) else { throw ValidationError("ROOMSERVER_\(name) is no number that fits: \(text)") }
    return number
  }

  func flag(_ name: String) throws -> Bool? {
    switch text(name)?.lowercased() {
    case nil: nil
    case "1", "true", "yes", "on": true
    case "0", "false", "no", "off", "": false
    case let text?: throw ValidationError("ROOMSERVER_\(name) is true or false, not \(text)")
    }
  }
}
