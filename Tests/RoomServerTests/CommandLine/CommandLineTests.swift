import Foundation
import RoomLiveOrigin
import RoomPeers
import RoomProtocol
import RoomTestSupport
import RoomToken
import Testing

@Suite("The command line")
struct CommandLineTests {
  static let key = ["ROOMSERVER_KEY": "cli", "ROOMSERVER_SECRET": "a secret of forty bytes for testing only"]

  @Test("token mints valid tokens, with flags or environment")
  func token() async throws {
    let keys = try TokenKeys(["cli": "a secret of forty bytes for testing only"])
    let room = try await Command.run(
      ["token", "--room", "r", "--user", "u", "--grant", "subscribe,admin", "--ttl", "30s"], environment: Self.key)
    let token = try keys.verify(room.output.trimmingCharacters(in: .newlines), room: "r")
    #expect(token.user == "u")
    #expect(token.grants == [.subscribe, .admin])
    #expect(token.expires.timeIntervalSinceNow < 31)
    let api = try await Command.run(
      ["token", "--api", "--key", "cli", "--secret", "a secret of forty bytes for testing only"], environment: [:])
    #expect(try keys.verifyAPI(api.output.trimmingCharacters(in: .newlines)).key == "cli")
    let first = try await Command.run(
      ["token", "--api"],
      environment: [
        "ROOMSERVER_API_KEYS": "cli:a secret of forty bytes for testing only,other:another secret of forty bytes in all"
      ])
    #expect(try keys.verifyAPI(first.output.trimmingCharacters(in: .newlines)).key == "cli")
  }

  @Test("sign-url signs streams, their watch pages and publish URLs with a key, and a room's page with a token")
  func signURL() async throws {
    let protection = HotlinkProtection(publish: .init(key: "push"), play: .init(key: "pull"))
    let environment = Self.key.merging(["ROOMSERVER_PLAY_KEY": "pull", "ROOMSERVER_PUBLISH_KEY": "push"]) { $1 }
    let cases: [([String], String, HotlinkProtection.Purpose)] = [
      (["http://host:8080/live/a.flv"], "/live/a.flv", .play), (["rtmp://host/live/a"], "/live/a", .play),
      (["https://host/watch/live/a"], "/watch/live/a", .play), (["--publish", "rtmp://host/live/a"], "/live/a", .publish),
    ]
    for (arguments, path, purpose) in cases {
      let signed = try await Command.run(["sign-url"] + arguments, environment: environment)
      let parts = signed.output.trimmingCharacters(in: .newlines).split(separator: "?")
      #expect(parts.first.map(String.init) == arguments.last)
      try protection.check(
        path: path, query: String(try #require(parts.last)), for: purpose, unixTime: Int64(Date().timeIntervalSince1970))
    }
    let link = try await Command.run(["sign-url", "http://host/watch/demo", "--ttl", "1h"], environment: environment)
    let text = try #require(link.output.firstMatch(of: /^http:\/\/host\/watch\/demo\?token=(\S+)\n$/)).1
    let keys = try TokenKeys(["cli": "a secret of forty bytes for testing only"])
    #expect(try keys.verify(String(text), room: "demo").grants == [.subscribe, .hidden])
  }

  @Test(
    "invalid options are rejected with a message",
    arguments: [
      (["serve", "--dev", "--bind", "0.0.0.0"], "loopback"), (["serve"], "--key"), (["serve", "--key", "k"], "secret"),
      (["serve", "--key", "k", "--secret", "short"], "32"), (["serve", "--dev", "--log-level", "loud"], "--log-level"),
      (["serve", "--dev", "--workers", "0"], "--workers"),
      (["serve", "--dev", "--joins-per-second", "0"], "--joins-per-second"),
      (["serve", "--dev", "--trusted-proxy", "10.0.0.0/33"], "--trusted-proxy"),
      (["token", "--room", "r", "--user", "u"], "--key"),
      (["serve", "--dev", "--ice-server", "turn:t.example.org"], "--turn-secret"),
      (["serve", "--dev", "--turn-secret", "s"], "--ice-server"),
      (["serve", "--dev", "--ice-server", "turn:t", "--turn-secret", "s", "--turn-username", "u"], "not both"),
      (["serve", "--dev", "--ice-server", "http://t.example.org"], "stun:"),
      (["serve", "--dev", "--media-bind", "127.0.0.1", "--announce", "2001:db8::1"], "2001:db8::1"),
      (["serve", "--dev", "--recordings", "/nowhere"], "No such file"),
      (["serve", "--dev", "--recording-limit", "1"], "--recordings"),
      (["serve", "--dev", "--recordings", "/tmp", "--recording-limit", "0"], "--recording-limit"),
      (["serve", "--dev", "--upload-directory", "/nowhere"], "No such file"),
      (["serve", "--dev", "--upload-bytes", "1"], "--upload-directory"),
      (["serve", "--dev", "--rtmp-bind", "0.0.0.0"], "loopback"),
      (["serve", "--dev", "--data", "/dev/null/here"], "can't store data"), (["serve", "--dev", "--data", ""], "--data"),
      (["serve", "--dev", "--hls-segment", "0.1"], "segment length must"),
      (["serve", "--dev", "--hls-part", "3"], "part length must"),
      (["serve", "--dev", "--hls-window", "2"], "3 to 100"),
      (["serve", "--dev", "--play-validity", "60"], "--play-key"), (["serve", "--dev", "--publish-key", ""], "empty"),
      (["serve", "--dev", "--public-url", "live.example.org"], "--public-url"),
      (["serve", "--dev", "--public-rtmp-url", "https://live.example.org"], "--public-rtmp-url"),
      (["sign-url", "http://host/live/a.flv"], "--play-key"),
      (["sign-url", "--publish", "rtmp://host/live/a"], "--publish-key"),
      (["sign-url", "http://host/watch/demo"], "--key"), (["sign-url", "/live/a.flv", "--play-key", "k"], "scheme"),
      (["sign-url", "http://host/live/a.flv?x=1", "--play-key", "k"], "no query"),
    ])
  func refused(arguments: [String], word: String) async throws {
    let result = try await Command.run(arguments, environment: [:])
    #expect(result.status != 0)
    #expect(result.errors.contains(word), "\(result.errors)")
  }

  @Test(
    "invalid grants, names and times are rejected",
    arguments: [
      ["--grant", "fly"], ["--ttl", "2"], ["--ttl", "0s"], ["--user", "u u"], ["--room", ""], ["--api"],
    ])
  func badToken(arguments: [String]) async throws {
    let result = try await Command.run(["token", "--room", "r", "--user", "u"] + arguments, environment: Self.key)
    #expect(result.status != 0)
    #expect(result.output.isEmpty)
  }

  @Test(
    "serve --dev prints a token that joins and may go live, and SIGINT and SIGTERM end it cleanly",
    arguments: [SIGINT, SIGTERM])
  func dev(signal: CInt) async throws {
    // Once with a random key pair, once with a given one.
    let given = signal == SIGTERM ? Self.key : [:]
    let server = try Command.start(["serve", "--dev", "--port", "0"], environment: given)
    let greeting = try await eventually("the greeting") {
      server.output.contains("/v1/rooms\n") ? server.output : nil
    }
    #expect(greeting.contains("RTMP        rtmp://127.0.0.1:") && greeting.contains("SRT         off"))
    let secret = given["ROOMSERVER_SECRET"].map { "'\($0)'" } ?? ""
    #expect(greeting.contains("roomserver token --key \(given["ROOMSERVER_KEY"] ?? "dev")"), "\(greeting)")
    #expect(greeting.contains("--secret \(secret)"), "a word of a shell")
    let match = try #require(greeting.firstMatch(of: /ws:\/\/127\.0\.0\.1:(\d+)\/v1\/signal/))
    let port = try #require(UInt16(match.1))
    let token = try #require(greeting.firstMatch(of: /\n +(ey\S+)\n/)).1
    let client = try await SignalClient.connect(port: port)
    let joined = try await client.join(String(token))
    #expect(joined.room.name == "demo")
    #expect(joined.me.grants.isSuperset(of: [.publish, .admin, .relay]), "its user may go live")
    server.signal(signal)
    let ended = try await client.event("ended") { if case .ended(let data) = $0 { data } else { nil } }
    #expect(ended.reason == .serverStopping)
    #expect(try await server.status() == 0)
  }

  @Test("a port that is in use is reported, and the process ends")
  func portTaken() async throws {
    try await TestServer.with { server in
      let result = try await Command.run(["serve", "--dev", "--port", "\(server.server.port)"], environment: [:])
      #expect(result.status != 0)
      #expect(result.errors.contains("can't listen"), "\(result.errors)")
      let port = try #require(server.server.rtmpPort)
      let other = try await Command.run(["serve", "--dev", "--port", "0", "--rtmp-port", "\(port)"], environment: [:])
      #expect(other.status != 0)
      #expect(other.errors.contains("can't listen for RTMP"), "\(other.errors)")
    }
  }
}

/// The built `roomserver`, as a process. Its output goes to files, which are complete when it has ended.
final class Command: Sendable {
  private let state = Shared(State())
  private let files: [URL]

  private struct State {
    var status: CInt?
    var process: CInt = 0
  }

  private init() {
    let name = "roomserver-\(UUID().uuidString)"
    files = ["output", "errors"].map { FileManager.default.temporaryDirectory.appending(path: "\(name).\($0)") }
  }

  /// A failed test leaves no process behind.
  deinit {
    state.withLock { if $0.status == nil, $0.process > 0 { kill($0.process, SIGKILL) } }
    for file in files { try? FileManager.default.removeItem(at: file) }
  }

  var output: String { (try? String(contentsOf: files[0], encoding: .utf8)) ?? "" }
  var errors: String { (try? String(contentsOf: files[1], encoding: .utf8)) ?? "" }

  static func start(_ arguments: [String], environment: [String: String]) throws -> Command {
    let command = Command()
    let process = Process()
    process.setUnprivileged("roomserver", arguments)
    process.environment = environment
    for file in command.files { try Data().write(to: file) }
    let handles = try command.files.map { try FileHandle(forWritingTo: $0) }
    process.standardOutput = handles[0]
    process.standardError = handles[1]
    process.terminationHandler = { [state = command.state] process in
      state.withLock { $0.status = process.terminationStatus }
    }
    try process.run()
    for handle in handles { try handle.close() }
    command.state.withLock { $0.process = process.processIdentifier }
    return command
  }

  func signal(_ number: CInt) { kill(state.withLock { $0.process }, number) }

  func status() async throws -> CInt {
    try await eventually("the end of the process", within: .seconds(30)) { state.withLock { $0.status } }
  }

  /// Runs the command to its end.
  static func run(
    _ arguments: [String], environment: [String: String]
  ) async throws -> (status: CInt, output: String, errors: String) {
    let command = try start(arguments, environment: environment)
    return (try await command.status(), command.output, command.errors)
  }
}
