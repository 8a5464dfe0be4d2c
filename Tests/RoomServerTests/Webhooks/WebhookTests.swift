import Foundation
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomServer
@testable import RoomWebhooks

@Suite("Webhooks")
struct WebhookTests {
  /// Runs a server with a webhook whose waits are short.
  static func with(
    _ receiver: WebhookReceiver, _ adjust: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (TestServer) async throws -> Void
  ) async throws {
    do {
      try await TestServer.with {
        $0.webhooks.urls = [receiver.url]
        $0.webhooks.firstWait = 20
        $0.webhooks.longestWait = 100
        adjust(&$0)
      } _: {
        try await body($0)
      }
    } catch {
      await receiver.stop()
      throw error
    }
    await receiver.stop()
  }

  /// Creates, joins, leaves and closes a room.
  static func life(of room: RoomName, on server: TestServer) async throws {
    _ = try await server.api("POST", "/v1/rooms", json: #"{"name":"\#(room)"}"#)
    let alice = try await server.join("alice", room: room, grants: [.publish, .subscribe, .admin])
    let bob = try await server.join("bob", room: room)
    #expect(try await server.api("DELETE", "/v1/rooms/\(room)/participants/bob").status == 204)
    _ = try await bob.event("ended") { if case .ended = $0 { true } else { nil } }
    #expect(try await server.api("DELETE", "/v1/rooms/\(room)").status == 204)
    _ = try await alice.event("ended") { if case .ended = $0 { true } else { nil } }
  }

  static let lifeEvents = [
    "roomCreated", "participantJoined", "participantJoined", "participantKicked", "participantLeft", "participantLeft",
    "roomClosed",
  ]

  @Test("a room's events are delivered signed, numbered and in order")
  func life() async throws {
    let receiver = try WebhookReceiver()
    try await receiver.listen()
    receiver.answer(204)
    try await Self.with(receiver) { server in
      try await Self.life(of: "one", on: server)
      try await eventually("the room's end") { receiver.events(of: "one").contains { $0.event == "roomClosed" } }
      let events = receiver.events(of: "one")
      // Alice has a host's grants and gets a seat.
      #expect(events.map(\.event).filter { $0 != "seatChanged" } == Self.lifeEvents)
      #expect(events.contains { $0.event == "seatChanged" })
      #expect(events.map(\.sequence) == Array(1...events.count))
      #expect(Set(events.map(\.id)).count == events.count)
      #expect(Set(events.map(\.roomSession)).count == 1)
      for delivery in receiver.taken {
        let time = try #require(Int64(delivery.signature.dropFirst(2).prefix { $0 != "," }))
        #expect(
          delivery.signature == WebhookSignature.sign(delivery.body, secret: TestServer.secret, at: time),
          "signed with the API secret")
      }
      // The next room with that name is another one, and its numbers continue.
      _ = try await server.api("POST", "/v1/rooms", json: #"{"name":"one"}"#)
      try await eventually("the next room") { receiver.events(of: "one").count > events.count }
      let next = try #require(receiver.events(of: "one").last)
      #expect(next.event == "roomCreated" && next.sequence == events.count + 1)
      #expect(next.roomSession != events[0].roomSession)
      // A room has one delivery at a time, and connections are kept.
      #expect(receiver.connections == 1)
    }
  }

  /// `printf '1700000000.{}' | openssl dgst -sha256 -hmac secret`
  @Test("a signature matches an independent computation")
  func signature() {
    #expect(
      WebhookSignature.sign(Array("{}".utf8), secret: "secret", at: 1_700_000_000)
        == "t=1700000000,v1=b8569b78799ff9e3cbff0fc2d63a33a2b57f3282abd07c37ae5e8e7d79a5f163")
  }

  @Test("a receiver that is down and then answers 500 finally gets every event once and in order")
  func outage() async throws {
    let receiver = try WebhookReceiver()
    try await Self.with(receiver) { server in
      for room: RoomName in ["a", "b", "c"] { try await Self.life(of: room, on: server) }
      try await eventually("attempts while it is down") { try await server.webhookMetric("failures_total") >= 6 }
      receiver.answer(500)
      try await receiver.listen()
      for room: RoomName in ["a", "d"] { try await Self.life(of: room, on: server) }
      try await eventually("attempts that it rejects") { receiver.refused >= 6 }
      #expect(receiver.taken.isEmpty)
      receiver.answer(200)
      for room: RoomName in ["b", "d"] { try await Self.life(of: room, on: server) }
      try await eventually("every event") {
        let written = try await server.metric("roomserver_events_total")
        let queued = try await server.webhookMetric("queued")
        return queued == 0 && receiver.taken.count == written
      }
      for (room, lives): (RoomName, Int) in ["a": 2, "b": 2, "c": 1, "d": 2] {
        let events = receiver.events(of: room)
        #expect(events.map(\.sequence) == Array(1...events.count), "room \(room)")
        let told = events.map(\.event).filter { $0 != "seatChanged" }
        #expect(told == Array(repeating: Self.lifeEvents, count: lives).flatMap { $0 })
      }
      #expect(try await server.webhookMetric("delivered_total") == receiver.taken.count)
      #expect(try await server.webhookMetric("dropped_total") == 0)
    }
  }

  @Test("a delivery that is answered too late has failed and is repeated")
  func timeout() async throws {
    // The kernel accepts the connection, and nothing reads from it.
    let silent = try SilentListener()
    defer { silent.close() }
    try await TestServer.with {
      $0.webhooks.urls = ["http://127.0.0.1:\(silent.port)/"]
      $0.webhooks.timeout = .milliseconds(50)
      $0.webhooks.firstWait = 20
      $0.webhooks.longestWait = 20
    } _: { server in
      _ = try await server.api("POST", "/v1/rooms", json: #"{"name":"a"}"#)
      try await eventually("a second attempt") { try await server.webhookMetric("failures_total") >= 2 }
      #expect(try await server.webhookMetric("queued") == 1)
    }
  }

  @Test("https receivers are verified by their certificate")
  func secure() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pem")
    try Data(SelfSigned.certificateText.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let receiver = try WebhookReceiver()
    try await receiver.listen(with: try SelfSigned.context())
    func trusting(_ file: String?) -> (inout ServerConfiguration) -> Void {
      {
        $0.webhooks.urls = [receiver.secureURL]
        $0.webhooks.trustedCertificates = file
      }
    }
    try await TestServer.with(trusting(nil)) { server in
      _ = try await server.api("POST", "/v1/rooms", json: #"{"name":"a"}"#)
      try await eventually("a failure") { try await server.webhookMetric("failures_total") > 0 }
    }
    #expect(receiver.taken.isEmpty)
    try await Self.with(receiver, trusting(file.path)) { server in
      _ = try await server.api("POST", "/v1/rooms", json: #"{"name":"a"}"#)
      try await eventually("the event") { receiver.events(of: "a").map(\.event) == ["roomCreated"] }
    }
  }

  @Test("events of seats, jobs, recordings and PKs are delivered")
  func kinds() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "recordings-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let receiver = try WebhookReceiver()
    try await receiver.listen()
    try await Self.with(receiver, { $0.relay.recordings = .init(directory: directory.path) }) { server in
      func call(_ path: String, _ json: String) async throws -> TestResponse {
        let response = try await server.api("POST", "/v1/rooms/\(path)", json: json)
        #expect((200..<300).contains(response.status), "\(path): \(String(decoding: response.body, as: UTF8.self))")
        return response
      }
      for (room, user): (RoomName, UserID) in [("a", "alice"), ("b", "bob")] {
        _ = try await server.join(user, room: room, grants: [.publish, .subscribe, .admin, .relay])
      }
      _ = try await call("a/calls/setSeat", #"{"index":1,"locked":true}"#)
      _ = try await call("a/jobs", #"{"jobId":"j","userId":"alice","publishUrl":"file:a.mp4"}"#)
      #expect(try await server.api("DELETE", "/v1/rooms/a/jobs/j").status == 204)
      struct PK: Decodable { var pkId: PKID }
      let pk = try await call("a/calls/invitePK", #"{"room":"b"}"#).decoded(PK.self).pkId
      try await eventually("the invitation") { receiver.events(of: "b").contains { $0.event == "pkInvited" } }
      _ = try await call("b/calls/acceptPK", #"{"pkId":"\#(pk)"}"#)
      try await eventually("the PK") { receiver.events(of: "a").contains { $0.event == "pkBegan" } }
      _ = try await call("a/calls/setPKScore", #"{"score":5}"#)
      try await eventually("the score") { receiver.events(of: "b").contains { $0.event == "pkChanged" } }
      _ = try await call("b/calls/quitPK", "{}")
      let told: Set = [
        "seatChanged", "jobStarted", "jobEnded", "recordingFinished", "pkInvited", "pkInvitationEnded", "pkBegan", "pkChanged",
        "pkEnded",
      ]
      try await eventually("all of it, after receiving \(receiver.events(of: "a").map(\.event))") {
        told.isSubset(of: receiver.events(of: "a").map(\.event))
      }
    }
  }

  @Test("every webhook gets every event, and one that is down delays no other")
  func several() async throws {
    let down = try WebhookReceiver()
    let receiver = try WebhookReceiver()
    try await receiver.listen()
    try await Self.with(receiver, { $0.webhooks.urls.append(down.url) }) { server in
      try await Self.life(of: "one", on: server)
      try await eventually("the room's end") { receiver.events(of: "one").contains { $0.event == "roomClosed" } }
      try await down.listen()
      try await eventually("the same on the other") {
        down.events(of: "one").map(\.id) == receiver.events(of: "one").map(\.id)
      }
    }
    await down.stop()
  }

  @Test("events are listed by page, and delivered again on demand")
  func listing() async throws {
    struct Page: Decodable {
      var events: [WebhookReceiver.Event]
      var last: Int?
    }
    let receiver = try WebhookReceiver()
    try await receiver.listen()
    try await Self.with(receiver) { server in
      for room: RoomName in ["one", "two"] { try await Self.life(of: room, on: server) }
      try await eventually("all of it") { receiver.taken.filter { $0.event.event == "roomClosed" }.count == 2 }
      let all = receiver.events(of: "one")
      let first: Page = try await server.api("GET", "/v1/events?room=one&limit=3").decoded()
      #expect(first.events.map(\.sequence) == [1, 2, 3] && first.last == all.count)
      let rest: Page = try await server.api("GET", "/v1/events?room=one&after=3").decoded()
      #expect(rest.events.map(\.id) == all.dropFirst(3).map(\.id))
      let newest: Page = try await server.api("GET", "/v1/events?limit=2").decoded()
      #expect(newest.events.count == 2 && newest.events.last?.event == "roomClosed" && newest.last == nil)

      let replay = try await server.api("POST", "/v1/webhooks/replay", json: #"{"room":"one","from":3}"#)
      #expect(replay.status == 202)
      try await eventually("these again") {
        receiver.events(of: "one").dropFirst(all.count).map(\.id) == all.dropFirst(2).map(\.id)
      }
      #expect(try await server.api("GET", "/v1/events?room=nobody").error?.code == .roomNotFound)
      #expect(try await server.api("POST", "/v1/webhooks/replay", json: #"{"room":"nobody","from":1}"#).status == 404)
      for query in [
        "room=%20", "after=1", "room=one&after=-1", "room=one&after=9007199254740992", "room=one&limit=0", "limit=x",
      ] {
        #expect(try await server.api("GET", "/v1/events?\(query)").status == 400, "\(query)")
      }
      #expect(try await server.api("POST", "/v1/webhooks/replay", json: #"{"room":"one","from":0}"#).status == 400)
    }
    try await TestServer.with { server in
      let refused = try await server.api("POST", "/v1/webhooks/replay", json: #"{"room":"one","from":1}"#)
      #expect(refused.status == 409)
    }
  }

  @Test("events over the limit are dropped, oldest first, and counted, and the rest is delivered")
  func bounded() async throws {
    let receiver = try WebhookReceiver()
    try await Self.with(receiver, { $0.webhooks.kept = 20 }) { server in
      for index in 0..<100 { _ = try await server.api("POST", "/v1/rooms", json: #"{"name":"r\#(index)"}"#) }
      try await eventually("drops") { try await server.webhookMetric("dropped_total") > 0 }
      try await receiver.listen()
      try await eventually("the rest") { try await server.webhookMetric("queued") == 0 }
      let dropped = try await server.webhookMetric("dropped_total")
      #expect(receiver.taken.count == 100 - dropped)
      #expect(receiver.taken.contains { $0.event.room == "r99" })
    }
  }

  @Test(
    "invalid webhooks are rejected",
    arguments: [
      "ftp://a/b", "http://", "http:///x", "http://u:p@host/", "host/path", "http://host:0/", "http://host:70000/", "",
    ])
  func refused(url: String) async throws {
    var settings = WebhookSettings()
    settings.urls = [url]
    #expect(settings.validationError?.contains("webhook") == true)
    #expect(WebhookAddress("https://example.org?key=1")?.target == "/?key=1")
    #expect(WebhookAddress("https://example.org?key=1")?.shown == "https://example.org/")
    #expect(WebhookAddress("http://[::1]:8080/a")?.authority == "[::1]:8080")
  }
}

extension TestServer {
  /// Returns the sum of a metric over all webhooks.
  func webhookMetric(_ name: String) async throws -> Int {
    await server.metricsText().split(separator: "\n").filter { $0.hasPrefix("roomserver_webhook_\(name){") }
      .compactMap { Int($0.split(separator: " ").last ?? "") }.reduce(0, +)
  }
}
