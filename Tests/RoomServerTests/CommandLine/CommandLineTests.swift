import Foundation
import NIOConcurrencyHelpers
import RoomProtocol
import RoomToken
import Testing

@Suite("The command line")
struct CommandLineTests {
  static let key = ["ROOMSERVER_KEY": "cli", "ROOMSERVER_SECRET": "a secret of forty bytes for testing only"]

  @Test("token mints what the server takes, by flags or environment")
  func token() async throws {
    let keys = try await TokenKeys(["cli": "a secret of forty bytes for testing only"])
    let room = try await Command.run(
      ["token", "--room", "r", "--user", "u", "--grant", "subscribe,admin", "--ttl", "30s"], environment: Self.key)
    let token = try keys.verify(room.output.trimmingCharacters(in: .newlines), room: "r")
    #expect(token.user == "u")
    #expect(token.grants == [.subscribe, .admin])
    #expect(token.expires.timeIntervalSinceNow < 31)
    let api = try await Command.run(
      ["token", "--api", "--key", "cli", "--secret", "a secret of forty bytes for testing only"], environment: [:])
    #expect(try keys.verifyAPI(api.output.trimmingCharacters(in: .newlines)).key == "cli")
  }

  @Test(
    "what can't work is refused with a sentence",
    arguments: [
      (["serve", "--dev", "--bind", "0.0.0.0"], "loopback"), (["serve"], "--key"), (["serve", "--key", "k"], "secret"),
      (["serve", "--key", "k", "--secret", "short"], "32"), (["serve", "--dev", "--log-level", "loud"], "--log-level"),
      (["serve", "--dev", "--workers", "0"], "--workers"),
      (["serve", "--dev", "--joins-per-second", "0"], "--joins-per-second"),
      (["token", "--room", "r", "--user", "u"], "--key"),
      (["serve", "--dev", "--ice-server", "turn:t.example.org"], "--turn-secret"),
      (["serve", "--dev", "--turn-secret", "s"], "--ice-server"),
      (["serve", "--dev", "--ice-server", "turn:t", "--turn-secret", "s", "--turn-username", "u"], "not both"),
      (["serve", "--dev", "--ice-server", "http://t.example.org"], "stun:"),
      (["serve", "--dev", "--media-bind", "0.0.0.0"], "loopback"),
      (["serve", "--dev", "--announce", "2001:db8::1"], "2001:db8::1"),
      (["serve", "--dev", "--recordings", "/nowhere"], "No such file"),
      (["serve", "--dev", "--recording-limit", "1"], "--recordings"),
      (["serve", "--dev", "--recordings", "/tmp", "--recording-limit", "0"], "--recording-limit"),
      (["serve", "--dev", "--rtmp-bind", "0.0.0.0"], "loopback"),
      (["serve", "--dev", "--hls-segment", "0.1"], "segments last"), (["serve", "--dev", "--hls-part", "3"], "parts last"),
      (["serve", "--dev", "--hls-window", "2"], "3 to 100"),
      (["serve", "--dev", "--play-validity", "60"], "--play-key"), (["serve", "--dev", "--publish-key", ""], "empty"),
    ])
  func refused(arguments: [String], word: String) async throws {
    let result = try await Command.run(arguments, environment: [:])
    #expect(result.status != 0)
    #expect(result.errors.contains(word), "\(result.errors)")
  }

  @Test(
    "grants, names and times that are none are refused",
    arguments: [
      ["--grant", "fly"], ["--ttl", "2"], ["--ttl", "0s"], ["--user", "u u"], ["--room", ""], ["--api"],
    ])
  func badToken(arguments: [String]) async throws {
    let result = try await Command.run(["token", "--room", "r", "--user", "u"] + arguments, environment: Self.key)
    #expect(result.status != 0)
    #expect(result.output.isEmpty)
  }

  @Test("serve --dev prints a token that joins, and SIGINT and SIGTERM end it cleanly", arguments: [SIGINT, SIGTERM])
  func dev(signal: CInt) async throws {
    let server = try Command.start(["serve", "--dev", "--port", "0"], environment: [:])
    let greeting = try await eventually("the greeting") {
      server.output.contains("/v1/rooms\n") ? server.output : nil
    }
    let match = try #require(greeting.firstMatch(of: /ws:\/\/127\.0\.0\.1:(\d+)\/v1\/signal/))
    let port = try #require(UInt16(match.1))
    let token = try #require(greeting.firstMatch(of: /\n +(ey\S+)\n/)).1
    let client = try await SignalClient.connect(port: port)
    #expect(try await client.join(String(token)).room.name == "demo")
    server.signal(signal)
    let ended = try await client.event("ended") { if case .ended(let data) = $0 { data } else { nil } }
    #expect(ended.reason == .serverStopping)
    #expect(try await server.status() == 0)
  }

  @Test("a port that is taken is told, and the process ends")
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

/// The built `roomserver`, as a process.
final class Command: Sendable {
  private let state = NIOLockedValueBox(State())

  struct State {
    var output: [UInt8] = []
    var errors: [UInt8] = []
    var status: CInt?
    var process: CInt = 0
  }

  var output: String { state.withLockedValue { String(decoding: $0.output, as: UTF8.self) } }
  var errors: String { state.withLockedValue { String(decoding: $0.errors, as: UTF8.self) } }

  static func start(_ arguments: [String], environment: [String: String]) throws -> Command {
    let command = Command()
    let process = Process()
    // Beside the tests in the build folder.
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("roomserver")
    process.arguments = arguments
    process.environment = environment
    for (pipe, keep) in [(Pipe(), \State.output), (Pipe(), \State.errors)]
      as [(Pipe, any WritableKeyPath<State, [UInt8]> & Sendable)]
    {
      if keep == \State.output { process.standardOutput = pipe } else { process.standardError = pipe }
      pipe.fileHandleForReading.readabilityHandler = { [state = command.state] handle in
        let data = handle.availableData
        if data.isEmpty { handle.readabilityHandler = nil }
        state.withLockedValue { $0[keyPath: keep].append(contentsOf: data) }
      }
    }
    process.terminationHandler = { [state = command.state] process in
      state.withLockedValue { $0.status = process.terminationStatus }
    }
    try process.run()
    command.state.withLockedValue { $0.process = process.processIdentifier }
    return command
  }

  func signal(_ number: CInt) { kill(state.withLockedValue { $0.process }, number) }

  func status() async throws -> CInt {
    try await eventually("the end of the process", within: .seconds(30)) { state.withLockedValue { $0.status } }
  }

  /// Runs to the end.
  static func run(
    _ arguments: [String], environment: [String: String]
  ) async throws -> (status: CInt, output: String, errors: String) {
    let command = try start(arguments, environment: environment)
    let status = try await command.status()
    // The pipes may still be read when the process is gone.
    if status != 0 { try await eventually("its last words") { !command.errors.isEmpty } }
    if status == 0 { try await eventually("its output") { !command.output.isEmpty } }
    return (status, command.output, command.errors)
  }
}
