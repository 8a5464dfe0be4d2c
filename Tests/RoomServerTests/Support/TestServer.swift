import Foundation
import Logging
import RoomProtocol
import RoomServer
import roomserver
import RoomToken

/// A server in this process, on free ports, with helpers for tests.
struct TestServer: Sendable {
  static let key = "test"
  static let secret = "a secret of forty bytes for testing only"

  let server: RoomServer
  let keys: TokenKeys

  /// A logger that discards everything.
  static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  static func start(
    _ adjust: (inout ServerConfiguration) -> Void = { _ in }, log: Logger = quiet
  ) async throws -> TestServer {
    var configuration = ServerConfiguration(keys: [key: secret])
    configuration.autoCreateRooms = true
    // A player would start this program as its reader.
    configuration.players.limit = 0
    configuration.media.workers = 1
    adjust(&configuration)
    return TestServer(
      server: try await RoomServer.start(configuration, log: log), keys: try TokenKeys([key: secret]))
  }

  /// Runs `body` with a server that is stopped afterwards.
  static func with(
    _ adjust: (inout ServerConfiguration) -> Void = { _ in }, log: Logger = quiet,
    _ body: (TestServer) async throws -> Void
  ) async throws {
    try await withResult(adjust, log: log, body)
  }

  static func withResult<Result>(
    _ adjust: (inout ServerConfiguration) -> Void = { _ in }, log: Logger = quiet,
    _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    let server = try await start(adjust, log: log)
    let result: Result
    do {
      result = try await body(server)
    } catch {
      await server.server.stop()
      throw error
    }
    await server.server.stop()
    return result
  }

  func token(
    _ user: UserID, room: RoomName = "room", grants: Grants = [.publish, .subscribe], ttl: Double = 600
  ) throws -> String {
    try keys.sign(
      RoomToken(room: room, user: user, grants: grants, expires: Date(timeIntervalSinceNow: ttl)), key: Self.key)
  }

  func apiToken(ttl: Double = 600) throws -> String {
    try keys.sign(APIToken(key: Self.key, expires: Date(timeIntervalSinceNow: ttl)))
  }

  /// Returns a connected signalling socket that has not joined.
  func connect() async throws -> SignalClient { try await SignalClient.connect(port: server.port) }

  /// Returns a client that has joined a room.
  func join(
    _ user: UserID, room: RoomName = "room", grants: Grants = [.publish, .subscribe], autoSubscribe: Bool? = nil
  ) async throws -> SignalClient {
    let client = try await connect()
    try await client.join(try token(user, room: room, grants: grants), autoSubscribe: autoSubscribe)
    return client
  }

  /// Sends a request with an API token.
  func api(_ method: String, _ path: String, json: String? = nil) async throws -> TestResponse {
    try await request(method, path, token: try apiToken(), json: json)
  }

  func request(_ method: String, _ path: String, token: String? = nil, json: String? = nil) async throws -> TestResponse {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: test\r\nConnection: close\r\n"
    if let token { head += "Authorization: Bearer \(token)\r\n" }
    if let json { head += "Content-Type: application/json\r\nContent-Length: \(json.utf8.count)\r\n" }
    return try await raw(head + "\r\n" + (json ?? ""))
  }

  /// Uploads an image of room "room".
  /// - Parameter sent: the number of bytes of the file to send; all if nil.
  func putImage(
    _ name: String, _ file: [UInt8], type: String? = "image/png", sent: Int? = nil
  ) async throws -> TestResponse {
    var head = "PUT /v1/rooms/room/images/\(name) HTTP/1.1\r\nHost: test\r\nConnection: close\r\n"
    head += "Authorization: Bearer \(try apiToken())\r\nContent-Length: \(file.count)\r\n"
    if let type { head += "Content-Type: \(type)\r\n" }
    let wire = try await Wire.connect(port: server.port)
    defer { wire.close() }
    wire.send(Array((head + "\r\n").utf8) + file.prefix(sent ?? file.count))
    return try await wire.response()
  }

  /// Returns the server's response to these bytes.
  func raw(_ text: String) async throws -> TestResponse {
    let wire = try await Wire.connect(port: server.port)
    defer { wire.close() }
    wire.send(text)
    return try await wire.response()
  }

  /// Returns the value of a metric without labels, or with exactly this label.
  func metric(_ name: String) async throws -> Int {
    let text = await server.metricsText()
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
    return line.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
  }
}

/// A complete HTTP response.
struct TestResponse: Sendable {
  var status: Int
  /// Names in lower case.
  var headers: [String: String]
  var body: [UInt8]
  /// The head as received.
  var raw: [UInt8] = []

  func decoded<Value: Decodable>(_: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(body))
  }

  var error: RoomError? { try? decoded(RoomError.self) }
}

extension Wire {
  /// Returns the next response: its head, and as much body as Content-Length states.
  func response(within time: Duration = .seconds(60)) async throws -> TestResponse {
    try await next(within: time) { bytes in
      guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
      let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
      var headers: [String: String] = [:]
      for line in lines.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].trimmingPrefix(" ")) : ""
      }
      let head = Array(bytes[..<end.lowerBound]) + Array("\r\n".utf8)
      let length = headers["content-length"].flatMap { Int($0) } ?? 0
      guard bytes.count >= end.upperBound + length else { return nil }
      let body = Array(bytes[end.upperBound..<end.upperBound + length])
      bytes.removeFirst(end.upperBound + length)
      return TestResponse(
        status: Int(lines[0].split(separator: " ")[1]) ?? 0, headers: headers, body: body, raw: head)
    }
  }
}
