import Foundation
import RoomLiveOrigin
import RoomProtocol
import RoomTestSupport
import RoomToken
import Testing

@testable import RoomServer
@testable import RoomEngine

@Suite("Secrets stay in the process", .timeLimit(.minutes(2)))
struct SecretsTests {
  private static let apiSecret = "Xapisecret-of-more-than-forty-bytes-in-all"
  /// The variables that give a server one secret of each kind; none of them may ever be printed.
  private static let environment = [
    "ROOMSERVER_KEY": "cli", "ROOMSERVER_SECRET": apiSecret, "ROOMSERVER_PUBLISH_KEY": "Xpublishkey",
    "ROOMSERVER_PLAY_KEY": "Xplaykey", "ROOMSERVER_WEBHOOK_SECRET": "Xwebhooksecret",
    "ROOMSERVER_WEBHOOK": "http://127.0.0.1:1/hook?token=Xwebhooktoken", "ROOMSERVER_ICE_SERVER": "turn:127.0.0.1:1",
    "ROOMSERVER_RELAY_TARGET": "127.0.0.1", "ROOMSERVER_DATA": "none", "ROOMSERVER_PORT": "0",
    "ROOMSERVER_MEDIA_PORT": "0", "ROOMSERVER_RTMP_PORT": "0", "ROOMSERVER_PUSH_POLICY": "manual",
    "ROOMSERVER_PUSH_URL": "rtmp://127.0.0.1:1/live/{room}?key=Xpushkey",
    "ROOMSERVER_DRAIN_REDIRECT": "ws://127.0.0.1:1/v1/signal?key=Xredirectkey",
    "ROOMSERVER_API_KEYS": "other:Xothersecret-of-more-than-forty-bytes-in-all",
  ]
  private static let turn = [
    ["ROOMSERVER_TURN_SECRET": "Xturnsecret"],
    ["ROOMSERVER_TURN_USERNAME": "turn", "ROOMSERVER_TURN_CREDENTIAL": "Xturncredential"],
  ]

  private func response(_ port: UInt16, _ request: String) async throws -> String {
    let wire = try await Wire.connect(port: port)
    defer { wire.close() }
    wire.send(request)
    let response = try await wire.response()
    return String(decoding: response.raw + response.body, as: UTF8.self)
  }

  private func call(
    _ port: UInt16, _ method: String, _ path: String, token: String? = nil, body: String? = nil
  ) async throws -> String {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: test\r\nConnection: close\r\n"
    if let token { head += "Authorization: Bearer \(token)\r\n" }
    if let body { head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
    return try await response(port, head + "\r\n" + (body ?? ""))
  }

  @Test(
    "no log, metric or error contains one, even at the most verbose level", arguments: zip(["trace", "debug"], turn))
  func running(level: String, turn: [String: String]) async throws {
    let environment = Self.environment.merging(turn) { $1 }.merging(["ROOMSERVER_LOG_LEVEL": level]) { $1 }
    let server = try Command.start(["serve"], environment: environment)
    let port = try await eventually("the server is running") {
      server.errors.firstMatch(of: /http=127\.0\.0\.1:(\d+)/).flatMap { UInt16($0.1) }
    }
    let rtmp = try #require(server.errors.firstMatch(of: /rtmp=127\.0\.0\.1:(\d+)/).flatMap { UInt16($0.1) })
    let keys = try TokenKeys(["cli": Self.apiSecret])
    let expires = Date(timeIntervalSinceNow: 600)
    let api = try keys.sign(APIToken(key: "cli", expires: expires))
    let grants: Grants = [.publish, .subscribe, .relay]
    let token = try keys.sign(RoomToken(room: "r", user: "u", grants: grants, expires: expires), key: "cli")
    let forged = try TokenKeys(["cli": "another secret of more than forty bytes"])
    let bad = try forged.sign(RoomToken(room: "r", user: "u", grants: grants, expires: expires), key: "cli")

    var said: [String] = []
    for (method, path, token, body) in [
      ("POST", "/v1/rooms", api, #"{"name":"r","push":{"mode":"own"}}"#), ("POST", "/v1/rooms", api, #"{"name":"p"}"#),
      (
        "POST", "/v1/rooms/r/jobs", api,
        #"{"jobId":"j","userId":"u","publishUrl":"rtmp://127.0.0.1:1/live/Xstreamkey?k=Xquerykey"}"#
      ),
      ("POST", "/v1/rooms/r/jobs", api, #"{"jobId":"k","userId":"u","publishUrl":"rtmp://Xuser:Xpassword@a/live/Xstreamkey"}"#),
      ("POST", "/v1/rooms/p/jobs", api, #"{"jobId":"j","userId":"u"}"#), ("POST", "/v1/rooms/r/jobs", bad, "{}"),
      ("GET", "/v1/rooms/r/jobs", api, nil), ("GET", "/v1/rooms/p/jobs", api, nil), ("GET", "/metrics", api, nil),
      ("GET", "/live/r.flv?wsSecret=Xsignature&wsTime=0", nil, nil), ("GET", "/v1/server?token=\(api)", nil, nil),
      ("POST", "/whip/r", bad, "v=0"), ("GET", "/v1/events", api, nil),
    ] as [(String, String, String?, String?)] {
      said.append(try await call(port, method, path, token: token, body: body))
    }
    let client = try await SignalClient.connect(port: port)
    try await client.join(token)
    let other = try await SignalClient.connect(port: port)
    said.append("\(String(describing: try await other.error(of: .join(JoinParams(token: bad)))))")
    try await eventually("the webhook fails") { server.errors.contains("webhook fails") }
    try await eventually("the job reconnects") { server.errors.contains("autoReconnecting") }
    let encoder = try await RTMPPeer.refusal(.publish, port: rtmp, "r?token=\(bad)")
    said.append("\(encoder)")
    said.append(try await call(port, "GET", "/metrics", token: api))
    server.signal(SIGTERM)
    #expect(try await server.status() == 0)
    said += [server.output, server.errors]

    let secrets = [
      "Xapisecret", "Xothersecret", "Xpublishkey", "Xplaykey", "Xwebhooksecret", "Xwebhooktoken", "Xpushkey", "Xturnsecret",
      "Xturncredential",
      "Xstreamkey", "Xquerykey", "Xpassword", "Xsignature", "Xredirectkey", api, token, bad,
    ]
    for text in said {
      for secret in secrets where text.contains(secret) {
        let line = text.split(separator: "\n").first { $0.contains(secret) } ?? ""
        Issue.record("\(secret.prefix(20)) is in: \(line.prefix(600))")
      }
    }
    // The log does contain these events.
    for word in ["job begins", "play refused", "publish refused", "joined"] where level == "debug" {
      #expect(server.errors.contains(word), "\(word)")
    }
  }

  @Test("errors of an invalid configuration, and the effective one, contain none")
  func configuration() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "secrets-\(UUID().uuidString).yaml")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("key: cli\nsecret: \"Xapisecret\n  webhook: [Xtoken\n".utf8).write(to: file)
    for (arguments, changes, fails) in [
      (["serve"], ["ROOMSERVER_WEBHOOK": "https://me:Xpassword@example.org/hook?token=Xtoken"], true),
      (["serve"], ["ROOMSERVER_WEBHOOK": "ftp://me:Xpass@word@example.org/hook#Xtoken"], true),
      (["serve"], ["ROOMSERVER_ICE_SERVER": "http://me:Xpassword@example.org"], true),
      (["serve"], ["ROOMSERVER_SECRET": "Xshort"], true), (["serve"], ["ROOMSERVER_API_KEYS": "Xalone"], true),
      (["config", "--check", file.path], [:], true),
      (["serve", "--config", file.path], [:], true), (["config"], [:], false),
      (["config"], ["ROOMSERVER_DRAIN_REDIRECT": "wss://me:Xpassword@example.org/v1/signal?Xtoken"], false),
    ] as [([String], [String: String], Bool)] {
      let environment = Self.environment.merging(Self.turn[0]) { $1 }.merging(changes) { $1 }
      let result = try await Command.run(arguments, environment: environment)
      #expect((result.status != 0) == fails, "\(arguments) \(changes): \(result.errors)")
      let text = result.output + result.errors
      #expect(
        !text.contains("Xapi") && !text.contains("Xother") && text.firstMatch(of: /X[a-z]+/) == nil,
        "\(arguments) \(changes): \(text)")
    }
  }

  @Test("a whole configuration shows none, however it is printed")
  func printed() {
    var configuration = ServerConfiguration(keys: ["cli": "Xapi"])
    configuration.iceServers = [
      ICEServerSetting(urls: ["turn:t"], access: .secret("Xturn")),
      ICEServerSetting(urls: ["turn:t"], access: .account(username: "u", credential: "Xcredential")),
    ]
    configuration.origin.protection = .init(publish: .init(key: "Xpublish"), play: .init(key: "Xplay"))
    configuration.webhooks.secret = "Xwebhook"
    configuration.webhooks.urls = ["https://me:Xpassword@example.org/hook?token=Xtoken"]
    configuration.relay.policy = PushPolicy(.manual, publishUrl: "rtmp://cdn.example/live/{room}?key=Xpush")
    var dumped = ""
    dump(configuration, to: &dumped)
    for text in ["\(configuration)", String(reflecting: configuration), dumped] {
      #expect(text.firstMatch(of: /X[a-z]+/) == nil, "\(text)")
      #expect(text.contains("example.org"))
    }
  }
}
