import Foundation
import FoundationNetworking
import RoomPeers
import RoomProtocol
import RoomTestSupport
import RoomToken
import Testing

/// The built `roomserver` in a process with its own ports, which a test can kill.
final class ServerProcess: Sendable {
  private static let key = "test"
  private static let secret = "a secret of the tests, of at least 32 bytes"

  let port: UInt16
  private let host: String
  private let process: Process
  private let output: URL
  private let keys: TokenKeys

  /// Starts it in development mode and waits until it serves.
  /// - Parameter port: 0 selects a free port.
  init(_ arguments: [String], port wanted: UInt16 = 0) async throws {
    keys = try TokenKeys([Self.key: Self.secret])
    let process = Process()
    process.setUnprivileged(
      "roomserver",
      ["serve", "--dev", "--media-bind", "127.0.0.1", "--port", "\(wanted)", "--key", Self.key, "--secret", Self.secret]
        + arguments)
    let output = try Self.collectOutput(of: process)
    try process.run()
    self.process = process
    self.output = output
    var port: UInt16?
    do {
      try await eventually("the server serves") {
        let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
        port = text.firstMatch(of: /ws:\/\/127\.0\.0\.1:(\d+)\/v1\/signal/).flatMap { UInt16($0.1) }
        return port != nil
      }
    } catch {
      Foundation.kill(process.processIdentifier, SIGKILL)
      throw error
    }
    self.port = try #require(port)
    host = "127.0.0.1"
  }

  /// Starts it in a network namespace, at port 8080 of its address, and waits until it serves. It has neither RTMP nor SRT, and
  /// makes rooms at the first join.
  init(_ arguments: [String], at site: ClusterNetwork.Site) async throws {
    keys = try TokenKeys([Self.key: Self.secret])
    (host, port) = (site.address, 8080)
    process = Process()
    process.setUnprivileged(
      "roomserver",
      [
        "serve", "--bind", host, "--port", "\(port)", "--key", Self.key, "--secret", Self.secret, "--data", "none",
        "--auto-create", "--no-rtmp", "--no-srt",
      ] + arguments)
    let program = try #require(process.executableURL).path
    process.arguments = site.namespace.prefix + [program] + (process.arguments ?? [])
    process.executableURL = URL(filePath: "/usr/bin/env")
    output = try Self.collectOutput(of: process)
    try process.run()
    do {
      try await eventually("the server serves") {
        guard process.isRunning else { throw ProgramFailure(what: "the server has ended: \(text)") }
        return (try? await api("GET", "/healthz").status) == 200
      }
    } catch {
      kill()
      throw error
    }
  }

  private static func collectOutput(of process: Process) throws -> URL {
    let output = FileManager.default.temporaryDirectory.appending(path: "roomserver-\(UUID().uuidString)")
    try Data().write(to: output)
    let handle = try FileHandle(forWritingTo: output)
    process.standardOutput = handle
    process.standardError = handle
    process.standardInput = FileHandle.nullDevice
    return output
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: output)
  }

  /// The signalling address.
  var url: String { "ws://\(host):\(port)/v1/signal" }

  var isRunning: Bool { process.isRunning }

  /// Kills it without cleanup.
  func kill() {
    guard process.isRunning else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Stops its process without ending it, or continues it.
  /// - Parameter signal: SIGSTOP or SIGCONT.
  func signal(_ signal: Int32) { Foundation.kill(process.processIdentifier, signal) }

  /// Terminates it, as a service manager does, and waits until it has exited.
  func terminate() {
    guard process.isRunning else { return }
    Foundation.kill(process.processIdentifier, SIGTERM)
    process.waitUntilExit()
  }

  /// The complete output.
  var text: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

  func token(user: UserID, room: RoomName = "demo", grants: Grants = [.publish, .subscribe]) throws -> String {
    let token = RoomToken(
      room: room, user: user, grants: grants, expires: Date(timeIntervalSinceNow: 3600))
    return try keys.sign(token, key: Self.key)
  }

  /// Returns a LiveKit token, which joins a room.
  func liveKitToken(_ identity: String, room: String) throws -> String {
    var token = LiveKitToken(key: Self.key, identity: ForeignName(identity), expires: Date(timeIntervalSinceNow: 3600))
    token.grants.roomJoin = true
    token.grants.room = ForeignName(room)
    return try keys.sign(token)
  }

  /// Calls a method of LiveKit's server API, with the grants to record and to manage a room. Returns the status and the body.
  func liveKit(_ method: String, room: String, json: String) async throws -> (status: Int, body: String) {
    var token = LiveKitToken(key: Self.key, identity: nil, expires: Date(timeIntervalSinceNow: 600))
    (token.grants.roomRecord, token.grants.roomAdmin, token.grants.room) = (true, true, ForeignName(room))
    return try await send("POST", "/twirp/livekit.\(method)", json: json, bearer: try keys.sign(token))
  }

  /// Sends a request to the REST API. Returns the status and the body.
  func api(_ method: String, _ path: String, json: String? = nil) async throws -> (status: Int, body: String) {
    try await send(method, path, json: json, bearer: apiToken())
  }

  /// Returns the value of a metric without labels; −1 if there is none.
  func metric(_ name: String) async throws -> Int {
    let line = try await api("GET", "/metrics").body.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
    return line.flatMap { Int($0.dropFirst(name.count + 1)) } ?? -1
  }

  func apiToken() throws -> String { try keys.sign(APIToken(key: Self.key, expires: Date(timeIntervalSinceNow: 600))) }

  private func send(
    _ method: String, _ path: String, json: String?, bearer token: String
  ) async throws -> (status: Int, body: String) {
    var request = URLRequest(url: try #require(URL(string: "http://\(host):\(port)\(path)")))
    request.httpMethod = method
    request.httpBody = json.map { Data($0.utf8) }
    if json != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    let (body, response) = try await URLSession.shared.data(for: request)
    return (try #require(response as? HTTPURLResponse).statusCode, String(decoding: body, as: UTF8.self))
  }
}
