import Foundation
import RoomCluster
import RoomPeers
import RoomProtocol
import RoomTestSupport
import RoomToken
import Testing

@testable import RoomServer

@Suite("Webhooks of a cluster", .serialized, .enabled(if: RedisServer.isInstalled))
struct ClusterWebhookTests {
  private struct Events: Decodable {
    struct Event: Decodable {
      var sequence: Int
      var event: String
    }
    var events: [Event]
    var last: Int?
  }

  @Test("a room's events arrive in order and once while it moves to a node and on; every node lists them")
  func moves() async throws {
    let receiver = try WebhookReceiver()
    try await receiver.listen()
    try await ClusterServers.with(3) {
      $0.webhooks.urls = [receiver.url]
      $0.webhooks.firstWait = 20
    } _: { cluster in
      #expect(try await cluster[0].api("POST", "/v1/rooms", json: #"{"name":"room"}"#).status == 201)
      var owner = try #require(try await cluster.owner(of: "room"))
      for round in 0..<2 {
        for user in ["ann", "bob"] {
          let client = try await cluster[owner].join(UserID("\(user)\(round)"))
          let _: Empty = try await client.call(.leave)
        }
        #expect(try await cluster[owner].api("POST", "/v1/server/drain", json: #"{"seconds":30}"#).status == 202)
        await cluster[owner].server.drained()
        owner = try await eventually("the next owner") {
          guard let next = try await cluster.owner(of: "room"), next != owner else { return nil }
          return next
        }
      }
      #expect(try await cluster[owner].api("DELETE", "/v1/rooms/room").status == 204)
      try await eventually("the end of the room") { receiver.events(of: "room").last?.event == "roomClosed" }
      let events = receiver.events(of: "room")
      #expect(events.map(\.sequence) == Array(1...events.count))
      #expect(events.filter { $0.event == "participantJoined" }.count == 4)
      #expect(events.filter { $0.event == "roomCreated" }.count == 1)
      #expect(Set(events.map(\.roomSession)).count == 1)
      for server in cluster.servers {
        let listed: Events = try await server.api("GET", "/v1/events?room=room").decoded()
        #expect(listed.events.map(\.event) == events.map(\.event) && listed.last == events.count)
      }
    }
    await receiver.stop()
  }

  @Test("events that a killed node had not delivered arrive from another one, before those of the room's next owner")
  func killed() async throws {
    let redis = try await RedisServer()
    let data = FileManager.default.temporaryDirectory.appending(path: "data-\(UUID().uuidString)")
    defer {
      redis.kill()
      try? FileManager.default.removeItem(at: data)
    }
    let receiver = try WebhookReceiver()
    var nodes: [(command: Command, port: UInt16)] = []
    for number in 0..<2 {
      let command = try Command.start(
        [
          "serve", "--port", "0", "--media-port", "0", "--rtmp-port", "0", "--workers", "1", "--webhook", receiver.url,
          "--cluster", "redis://127.0.0.1:\(redis.port)", "--node-id", "n\(number)", "--data",
          data.appending(path: "n\(number)").path,
        ], environment: CommandLineTests.key)
      let port = try await eventually("the server: \(command.errors)") {
        command.errors.firstMatch(of: /http=127\.0\.0\.1:(\d+)/).flatMap { UInt16($0.1) }
      }
      nodes.append((command, port))
    }
    let servers = try nodes.map { try ProcessAPI(port: $0.port) }
    for server in servers {
      try await eventually("the cluster") {
        let state = try await server.get("/v1/cluster")
        return state.contains("\"ready\":true") && state.matches(of: /"node":"n\d"/).count == 2
      }
    }
    // The node of a room is drawn: enough rooms that the one that dies has some.
    var rooms: [RoomName] = []
    var ownsRooms = false
    while rooms.count < 3 || !ownsRooms {
      try #require(rooms.count < 64)
      rooms.append(RoomName("room\(rooms.count)"))
      #expect(try await servers[0].post("/v1/rooms", #"{"name":"room\#(rooms.count - 1)"}"#) == 201)
      ownsRooms = try await servers[0].get("/v1/cluster").contains(/"leases":\[\{/)
    }
    try await eventually("the events are stored") {
      for room in rooms where try await !servers[1].get("/v1/events?room=\(room)").contains("roomCreated") { return false }
      return true
    }
    nodes[0].command.signal(SIGKILL)
    _ = try await nodes[0].command.status()
    try await receiver.listen()
    try await eventually("all events", within: .seconds(60)) {
      rooms.allSatisfy { receiver.events(of: $0).first?.event == "roomCreated" }
    }
    try await eventually("the rooms are back", within: .seconds(30)) {
      rooms.contains { receiver.events(of: $0).map(\.event) == ["roomCreated", "roomRestored"] }
    }
    for room in rooms {
      let numbers = receiver.events(of: room).map(\.sequence)
      #expect(numbers == Array(1...numbers.count))
    }
    nodes[1].command.signal(SIGTERM)
    #expect(try await nodes[1].command.status() == 0, "\(nodes[1].command.errors)")
    await receiver.stop()
  }

  /// The REST API of a server in a process.
  private struct ProcessAPI {
    let port: UInt16
    let token: String

    init(port: UInt16) throws {
      self.port = port
      let key = CommandLineTests.key
      let keys = try TokenKeys([key["ROOMSERVER_KEY"] ?? "": key["ROOMSERVER_SECRET"] ?? ""])
      token = try keys.sign(APIToken(key: "cli", expires: Date(timeIntervalSinceNow: 60)))
    }

    private func send(_ line: String, _ body: String = "") async throws -> (status: Int, body: String) {
      let wire = try await Wire.connect(port: port)
      defer { wire.close() }
      wire.send(
        "\(line) HTTP/1.1\r\nHost: test\r\nConnection: close\r\nAuthorization: Bearer \(token)\r\n"
          + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      let response = try await wire.response()
      return (response.status, String(decoding: response.body, as: UTF8.self))
    }

    func get(_ path: String) async throws -> String { try await send("GET \(path)").body }
    func post(_ path: String, _ body: String) async throws -> Int { try await send("POST \(path)", body).status }
  }
}
