import Foundation
import FoundationNetworking
import RoomProtocol
import RoomServer
import RoomToken
import Testing

/// A whole server in this process, on ports of its own.
final class TestServer: Sendable {
  private static let key = "test"
  private static let secret = "a secret of the tests, of at least 32 bytes"

  private let server: RoomServer
  private let keys: TokenKeys

  fileprivate init(grace: Duration, _ adjust: (inout ServerConfiguration) throws -> Void) async throws {
    var configuration = ServerConfiguration(keys: [Self.key: Self.secret])
    configuration.autoCreateRooms = true
    configuration.rooms.graceTime = grace
    configuration.rooms.autoCreatedEmptyTime = .milliseconds(200)
    configuration.limits.joinsPerSecond = 10_000
    configuration.limits.joinBurst = 10_000
    try adjust(&configuration)
    server = try await RoomServer.start(configuration)
    keys = try TokenKeys([Self.key: Self.secret])
  }

  /// Ends it, as a signal does; a second time does nothing.
  func stop() async { await server.stop() }

  /// The signalling address.
  var url: String { "ws://127.0.0.1:\(server.port)/v1/signal" }

  /// The UDP ports of the media workers.
  var mediaPorts: [UInt16] { server.mediaPorts }

  /// The console's address.
  var page: String { "http://127.0.0.1:\(server.port)/" }

  /// The TCP port of HTTPS; nil where there is no certificate.
  var securePort: UInt16? { server.securePort }

  /// A token for the REST API.
  func apiToken() throws -> String {
    try keys.sign(APIToken(key: Self.key, expires: Date(timeIntervalSinceNow: 3600)))
  }

  /// The address of something that HTTP serves.
  func http(_ path: String) -> String { "http://127.0.0.1:\(server.port)\(path)" }

  /// A stream of the live origin, or a room to publish into.
  func rtmp(_ stream: String) throws -> String { "rtmp://127.0.0.1:\(try #require(server.rtmpPort))/\(stream)" }

  /// The same by RTMPS.
  func rtmps(_ stream: String) throws -> String { "rtmps://127.0.0.1:\(try #require(server.secureRTMPPort))/\(stream)" }

  /// A room token. `secret` signs in place of the server's own.
  func token(
    user: UserID, room: RoomName = "demo", grants: Grants = [.publish, .subscribe], expiresIn seconds: Double = 3600,
    secret: String? = nil
  ) async throws -> String {
    let keys = if let secret { try TokenKeys([Self.key: secret]) } else { self.keys }
    let token = RoomToken(room: room, user: user, grants: grants, expires: Date(timeIntervalSinceNow: seconds))
    return try keys.sign(token, key: Self.key)
  }

  /// A request to the REST API; gives the status and the body.
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

  /// The value of a metric by its name, with a label where it has one: `roomserver_media_dropped_total{reason="replay"}`.
  func metric(_ name: String) async throws -> Int {
    let line = await server.metricsText().split(separator: "\n").first { $0.hasPrefix("\(name) ") }
    return try #require(line.flatMap { Int($0.dropFirst(name.count + 1)) }, "no metric \(name)")
  }

  /// Every metric that is not zero.
  fileprivate func counted() async -> String {
    await server.metricsText().split(separator: "\n").filter { !$0.hasPrefix("#") && !$0.hasSuffix(" 0") }
      .joined(separator: "\n")
  }

  /// No room is open, no socket, and the media workers hold nothing.
  func isEmpty() async throws -> Bool {
    for name in ["rooms", "signalling_sockets", "transports", "tracks", "subscriptions", "ring_bytes"] {
      guard try await metric("roomserver_\(name)") == 0 else { return false }
    }
    return true
  }
}

/// Runs `test` with a server of its own, which is stopped afterwards.
/// - Parameters:
///   - grace: how long a participant whose socket was lost keeps its place.
///   - adjust: changes what the server is started with.
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
