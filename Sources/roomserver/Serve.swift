import ArgumentParser
import Foundation
import RoomCLinux
import RoomLiveOrigin
import Logging
import RoomServer
import RoomToken
import RoomDigests

/// `roomserver serve`
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the server until SIGINT or SIGTERM.",
    discussion: """
      Every setting is a flag, an environment variable and a line of a YAML file: --media-port 8100, \
      ROOMSERVER_MEDIA_PORT=8100, `media-port: 8100`. A flag takes precedence over the environment, and the environment over \
      the file. In the environment, lists are separated by commas. `roomserver config` prints the effective settings; \
      deploy/roomserver.yaml lists all of them.

      With --dev the server generates a key pair for this run, and prints it with a token and a link that signs in to the \
      console. It creates rooms at the first join. Only its media ports listen on other addresses than loopback.
      """)

  /// The file of settings.
  var config: String?
  var dev = false
  /// The values of the settings' flags, by key.
  var flags: [String: [String]] = [:]

  func run() async throws {
    let settings = try settings()
    var configuration = try settings.configuration()
    let isDevelopment = dev
    if configuration.server.keys.isEmpty {
      guard isDevelopment else {
        throw ValidationError(
          "an API key is required: --key and --secret, or ROOMSERVER_KEY and ROOMSERVER_SECRET, or both in --config, or --dev")
      }
      let pair = Self.randomPair()
      configuration.server.keys = [pair.key: Secret(pair.secret)]
    }

    DescriptorLimit.raise()
    var log = Logger(label: "roomserver") { StreamLogHandler.standardError(label: $0) }
    log.logLevel = configuration.logLevel
    log.info("configuration", metadata: settings.overrides.mapValues { "\($0)" })
    // Before anything is logged: a process that reads that the server is running may send a signal at once.
    let signals = TerminationSignals()
    let observed = signals.observe()
    defer { for source in observed { source.cancel() } }
    do {
      let server = try await RoomServer.start(configuration.server, log: log)
      if isDevelopment { await Self.printBanner(server) }
      // The start needs three times as much code as a server that runs, and memory of its own.
      linux_release_code()
      linux_release_freed_memory()
      await Self.serve(
        server, until: signals, drainTime: configuration.drainTime, redirect: configuration.drainRedirect)
    } catch {
      FileHandle.standardError.write(Data("roomserver: \(error)\n".utf8))
      throw ExitCode.failure
    }
  }

  /// Serves until a signal arrives, or a drain that was started over REST has ended. SIGTERM drains the server first; SIGINT ends
  /// it at once, also during a drain.
  private static func serve(
    _ server: RoomServer, until signals: TerminationSignals, drainTime: Duration, redirect: String?
  ) async {
    let signal = await withTaskGroup(of: TerminationSignals.Signal?.self) { tasks in
      tasks.addTask { await signals.next() }
      tasks.addTask {
        await server.drained()
        return nil
      }
      defer { tasks.cancelAll() }
      return await tasks.next() ?? nil
    }
    if signal == .terminate, drainTime > .zero {
      await withTaskGroup(of: Void.self) { tasks in
        tasks.addTask { await server.drain(for: drainTime, redirect: redirect) }
        tasks.addTask { await signals.wait(for: .interrupt) }
        await tasks.next()
        tasks.cancelAll()
      }
    }
    await server.stop()
  }

  private static func randomPair() -> (key: String, secret: String) {
    var generator = SystemRandomNumberGenerator()
    func hex(_ bytes: Int) -> String {
      (0..<bytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.hexadecimal
    }
    return ("dev" + hex(4), hex(32))
  }

  /// Returns a word for a shell, in quotes if it has other characters than letters and digits.
  private static func quoted(_ word: String) -> String {
    if word.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }) { return word }
    return "'" + word.replacing("'", with: #"'\''"#) + "'"
  }

  /// Prints what a developer needs to start.
  private static func printBanner(_ server: RoomServer) async {
    let configuration = server.configuration
    guard let key = configuration.signingKey ?? configuration.keys.keys.first, let secret = configuration.keys[key]?.value
    else {
      return
    }
    let day = Date(timeIntervalSinceNow: 86400)
    let token = RoomToken(room: "demo", user: "guest", grants: [.publish, .subscribe, .admin, .relay], expires: day)
    let keys = try? TokenKeys([key: secret])
    let ready = (try? keys?.sign(token, key: key)) ?? ""
    let api = (try? keys?.sign(APIToken(key: key, expires: day))) ?? ""
    let host = server.configuration.host.contains(":") ? "[\(server.configuration.host)]" : server.configuration.host
    let address = "\(host):\(server.port)"
    let greeting = """

      roomserver is running for development.

        console     http://\(address)/#token=\(api)
        signalling  ws://\(address)/v1/signal
        watch page  http://\(address)/watch/demo
        RTMP        \(server.rtmpPort.map { "rtmp://\(host):\($0)/live" } ?? "off")
        SRT         \(server.srtPort.map { "srt://\(host):\($0)" } ?? "off")
        API key     \(key)
        secret      \(secret)

      A token for room "demo", user "guest", one day:

        \(ready)

      More tokens:

        roomserver token --key \(quoted(key)) --secret \(quoted(secret)) --room demo --user alice --grant publish,subscribe --ttl 2h

      The REST API, with an API token for one day:

        curl -H "Authorization: Bearer \(api)" http://\(address)/v1/rooms


      """
    // Not with print: a program that reads this from a pipe waits for it, and print buffers it.
    FileHandle.standardOutput.write(Data(greeting.utf8))
  }
}
