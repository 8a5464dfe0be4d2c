import Foundation
import RoomTestSupport
import Testing

/// A Redis server of a test's own, on a free port of 127.0.0.1, or a Sentinel of one.
public final class RedisServer {
  public let port: UInt16
  private let folder: URL
  private let arguments: [String]
  private let prefix: [String]
  private var server: Program?

  public static var isInstalled: Bool { Program.path("redis-server") != nil }

  /// Starts a server.
  /// - Parameters:
  ///   - settings: settings of redis.conf, such as `["requirepass": "secret"]`.
  ///   - prefix: the words in front of the command, such as those that start it in a network namespace.
  public convenience init(_ settings: [String: String] = [:], port: UInt16? = nil, prefix: [String] = []) async throws {
    let port = try port ?? TCPPort.free()
    let given = settings.filter { $0.key != "port" && $0.key != "bind" }.flatMap {
      ["--\($0.key)"] + $0.value.split(separator: " ").map(String.init)
    }
    let usual = ["--port", settings["port"] ?? "\(port)", "--bind", settings["bind"] ?? "127.0.0.1"]
    try await self.init(port: port, arguments: usual + given, prefix: prefix)
  }

  private init(port: UInt16, arguments: [String], prefix: [String] = []) async throws {
    self.port = port
    self.arguments = arguments
    self.prefix = prefix
    folder = FileManager.default.temporaryDirectory.appending(path: "redis-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await start()
  }

  /// Starts a Sentinel that watches a server, with a quorum of one.
  /// - Parameter downAfter: the silence after which the server counts as down; ms.
  public static func sentinel(of master: RedisServer, name: String, downAfter: Int = 500) async throws -> RedisServer {
    let port = try TCPPort.free()
    let file = FileManager.default.temporaryDirectory.appending(path: "sentinel-\(UUID().uuidString).conf")
    try """
    port \(port)
    bind 127.0.0.1
    sentinel monitor \(name) 127.0.0.1 \(master.port) 1
    sentinel down-after-milliseconds \(name) \(downAfter)
    sentinel failover-timeout \(name) 4000
    """.write(to: file, atomically: true, encoding: .utf8)
    return try await RedisServer(port: port, arguments: [file.path, "--sentinel"])
  }

  /// Starts it again after ``kill()``, on the same port, with the data that it had written.
  public func start() async throws {
    let command = prefix + ["redis-server"] + arguments + ["--dir", folder.path]
    let server = try Program(command[0], Array(command.dropFirst()))
    self.server = server
    try await eventually("Redis listens") {
      guard server.isRunning else { throw ProgramFailure(what: "redis-server has ended: \(server.text)") }
      // A port of another namespace is not visible here.
      return prefix.isEmpty ? TCPPort.isTaken(port) : server.text.contains("Ready to accept connections")
    }
  }

  /// Returns the number of its replicas that receive its writes.
  public func replicas() async throws -> Int {
    try await ask("INFO", "replication").split(whereSeparator: \.isNewline).count {
      $0.hasPrefix("slave") && $0.contains("state=online")
    }
  }

  /// Sends a command with redis-cli, and returns the answer.
  @discardableResult public func ask(_ command: String...) async throws -> String {
    let client = try Program("redis-cli", ["-p", "\(port)"] + command)
    _ = try await client.finish()
    return client.text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Kills it, like a crash.
  public func kill() {
    server?.stop()
    server = nil
  }

  /// Stops its process without ending it, or continues it.
  public func signal(_ signal: Int32) { server?.signal(signal) }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: folder)
  }
}
