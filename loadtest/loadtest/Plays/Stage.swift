import Foundation
import RoomClient
import RoomProtocol
import RoomToken
import RoomWebRTC

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The environment of a play: a server, the network path to it, and the recorder.
struct Stage: Sendable {
  /// Base URL of the HTTP API.
  let base: URL
  private(set) var signalling: String
  /// The port for playing RTMP; nil if unknown.
  let rtmpPort: UInt16?
  let tokens: TokenMint
  let network: LossyNetwork?
  /// The address to use for media in place of one of the server's.
  private var detour: (@Sendable (TransportAddress) -> TransportAddress)?
  let recorder: Recorder
  /// Part of the run's room and stream names, unique to this run.
  let mark: String

  /// - Parameter signalling: `ws://host:port/v1/signal` or `wss://…`
  init(
    signalling: String, rtmpPort: UInt16?, tokens: TokenMint, network: LossyNetwork?, recorder: Recorder
  ) throws(ScenarioError) {
    do { base = try RoomserverAddress(signalling, tokens).base } catch { throw ScenarioError("--url: \(error)") }
    self.signalling = signalling
    self.rtmpPort = rtmpPort
    self.tokens = tokens
    self.network = network
    if let network { detour = { network.detour(for: $0) } }
    self.recorder = recorder
    mark = String(UInt32.random(in: 0...UInt32.max), radix: 36)
  }

  /// The stage as one bot sees it, whose connections can be cut.
  func through(_ own: CuttableNetwork) -> Stage {
    var stage = self
    stage.signalling = "\(isSecure ? "wss" : "ws")://127.0.0.1:\(own.signallingPort)/v1/signal"
    stage.detour = { own.detour(for: $0) }
    return stage
  }

  var host: String { base.host() ?? "127.0.0.1" }
  /// Whether the server runs on this machine.
  var isLocal: Bool { (try? HostAddress.numeric(host))?.hasPrefix("127.") == true }
  /// Whether HTTP and signalling use TLS.
  var isSecure: Bool { base.scheme == "https" }
  /// Port of the HTTP API.
  var port: UInt16 { UInt16(clamping: base.port ?? (isSecure ? 443 : 80)) }

  /// Returns a room name that is unique to this run.
  func name(_ name: String) -> RoomName { "\(name)-\(mark)" }

  // MARK: REST

  struct NewRoom: Encodable {
    var name: RoomName
    var audience: RoomAudience?
    var stage: StagePicture?
    var pk: PKPicture?
    var seatsHost: Bool?
    var emptyTimeout = 30
  }

  func make(_ room: NewRoom) async throws { try await post("v1/rooms", room) }

  /// Closes a room that was created for the run.
  func close(_ room: RoomName) async { _ = try? await send("DELETE", "v1/rooms/\(room)", nil) }

  /// Calls a method that changes a room's state. It may be called twice if the first answer does not come.
  func call(_ room: RoomName, _ method: String, _ params: some Encodable) async throws {
    try await post("v1/rooms/\(room)/calls/\(method)", params)
  }

  func read<Body: Decodable>(_: Body.Type, _ path: String) async throws -> Body {
    try JSONDecoder().decode(Body.self, from: try await send("GET", path, nil))
  }

  private func post(_ path: String, _ body: some Encodable) async throws {
    _ = try await send("POST", path, try JSONEncoder().encode(body))
  }

  private func send(_ method: String, _ path: String, _ body: Data?) async throws -> Data {
    var request = URLRequest(url: base.appending(path: path), timeoutInterval: 5)
    request.httpMethod = method
    request.httpBody = body
    if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    request.setValue("Bearer \(try tokens.apiToken())", forHTTPHeaderField: "Authorization")
    let answer = try await RepeatedRequest(request).answer { try await URLSession.shared.fetch($0) }
    guard answer.isSuccess else {
      throw LoadtestError.refused("\(path): \(String(decoding: answer.body, as: UTF8.self).prefix(300))")
    }
    return answer.body
  }

  // MARK: Rooms

  /// Joins as a complete client, through the lossy network if there is one.
  func join(
    _ room: RoomName, as user: UserID, grants: Grants = [.publish, .subscribe], autoSubscribe: Bool = true
  ) async throws -> Room {
    var options = RoomOptions(autoSubscribe: autoSubscribe, reconnect: .unlimited, statisticsInterval: .seconds(1))
    options.mediaAddressOverride = detour
    let token = try tokens.token(for: user, in: room, grants: grants)
    return try await recorder.time(.join) { [options] in
      try await Room.connect(to: signalling, token: token, options: options)
    }
  }
}
