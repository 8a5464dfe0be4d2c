import Foundation
import FoundationNetworking
import RoomPeers
import RoomProtocol
import RoomServer
import roomserver
import RoomToken
import Testing

/// A complete server in this process, on its own ports.
final class TestServer: Sendable {
  static let key = "test"
  static let secret = "a secret of the tests, of at least 32 bytes"

  private let server: RoomServer
  private let keys: TokenKeys

  fileprivate init(grace: Duration, _ adjust: (inout ServerConfiguration) throws -> Void) async throws {
    var configuration = ServerConfiguration(keys: [Self.key: Self.secret])
    configuration.autoCreateRooms = true
    configuration.rooms.graceTime = grace
    configuration.rooms.autoCreatedEmptyTime = .milliseconds(200)
    // Players end this long after the publisher.
    configuration.origin.linger = .seconds(2)
    configuration.players.program = Program.built("roomserver").path
    configuration.limits.joinsPerSecond = 10_000
    configuration.limits.joinBurst = 10_000
    try adjust(&configuration)
    server = try await RoomServer.start(configuration)
    keys = try TokenKeys([Self.key: Self.secret])
  }

  /// Stops the server, as a signal does. A second call does nothing.
  func stop() async { await server.stop() }

  /// The signalling address.
  var url: String { "ws://127.0.0.1:\(server.port)/v1/signal" }

  /// The UDP ports of the media workers.
  var mediaPorts: [UInt16] { server.mediaPorts }

  /// The console's URL.
  var page: String { "http://127.0.0.1:\(server.port)/" }

  /// The TCP port of HTTPS; nil without a certificate.
  var securePort: UInt16? { server.securePort }

  /// Returns a token for the REST API.
  func apiToken(expiresIn seconds: Double = 3600) throws -> String {
    try keys.sign(APIToken(key: Self.key, expires: Date(timeIntervalSinceNow: seconds)))
  }

  /// Returns the HTTP URL of a path.
  func http(_ path: String) -> String { "http://127.0.0.1:\(server.port)\(path)" }

  /// Returns the RTMP URL of a stream of the live origin, or of a room to publish into.
  func rtmp(_ stream: String) throws -> String { "rtmp://127.0.0.1:\(try #require(server.rtmpPort))/\(stream)" }

  /// Returns the SRT URL that publishes a stream; `options` are further ones of the URL.
  func srt(_ streamID: String, _ options: String = "") throws -> String {
    "srt://127.0.0.1:\(try #require(server.srtPort))?streamid=\(streamID)\(options)"
  }

  /// Returns the corresponding RTMPS URL.
  func rtmps(_ stream: String) throws -> String { "rtmps://127.0.0.1:\(try #require(server.secureRTMPPort))/\(stream)" }

  /// Returns a room token. `secret` replaces the server's own.
  func token(
    user: UserID, room: RoomName = "demo", grants: Grants = [.publish, .subscribe], expiresIn seconds: Double = 3600,
    secret: String? = nil
  ) async throws -> String {
    let keys = if let secret { try TokenKeys([Self.key: secret]) } else { self.keys }
    let token = RoomToken(room: room, user: user, grants: grants, expires: Date(timeIntervalSinceNow: seconds))
    return try keys.sign(token, key: Self.key)
  }

  /// Returns a LiveKit token, which joins a room.
  func liveKitToken(_ identity: String, room: String, _ adjust: (inout LiveKitToken) -> Void = { _ in }) throws -> String {
    var token = LiveKitToken(key: Self.key, identity: ForeignName(identity), expires: Date(timeIntervalSinceNow: 3600))
    token.grants.roomJoin = true
    token.grants.room = ForeignName(room)
    adjust(&token)
    return try keys.sign(token)
  }

  /// Sends a request to the REST API. Returns the status and the body.
  func api(_ method: String, _ path: String, json: String? = nil) async throws -> (status: Int, body: Data) {
    var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(server.port)\(path)")))
    request.httpMethod = method
    request.httpBody = json.map { Data($0.utf8) }
    if json != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    let token = try keys.sign(APIToken(key: Self.key, expires: Date(timeIntervalSinceNow: 600)))
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    let (body, response) = try await URLSession.shared.data(for: request)
    return (try #require(response as? HTTPURLResponse).statusCode, body)
  }

  /// Returns the value of a metric, given its name and, if it has one, its label:
  /// `roomserver_media_dropped_total{reason="replay"}`.
  func metric(_ name: String) async throws -> Int {
    let line = await server.metricsText().split(separator: "\n").first { $0.hasPrefix("\(name) ") }
    return try #require(line.flatMap { Int($0.dropFirst(name.count + 1)) }, "no metric \(name)")
  }

  /// Returns every metric that is not zero.
  fileprivate func counted() async -> String {
    await server.metricsText().split(separator: "\n").filter { !$0.hasPrefix("#") && !$0.hasSuffix(" 0") }
      .joined(separator: "\n")
  }

  /// Returns whether there are no rooms and sockets, and the media workers have no state.
  func isEmpty() async throws -> Bool {
    for name in ["rooms", "signalling_sockets", "transports", "tracks", "subscriptions", "ring_bytes"] {
      guard try await metric("roomserver_\(name)") == 0 else { return false }
    }
    return true
  }
}

/// Runs `test` with a server of its own, which is stopped afterwards.
/// - Parameters:
///   - grace: how long a participant stays in the room after its socket was lost.
///   - adjust: changes the server's configuration.
func withServer(
  grace: Duration = .seconds(20), adjust: (inout ServerConfiguration) throws -> Void = { _ in },
  _ test: (TestServer) async throws -> Void
) async throws {
  let server = try await TestServer(grace: grace, adjust)
  do { try await test(server) } catch {
    print("What the server counted:\n\(await server.counted())")
    await server.stop()
    throw error
  }
  await server.stop()
}
