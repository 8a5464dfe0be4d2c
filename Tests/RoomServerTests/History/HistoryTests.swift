import Foundation
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomServer

@Suite("History over REST")
struct HistoryTests {
  private static let grants: Grants = [.publish, .subscribe, .admin, .relay]
  private static let paths = ["events", "sessions", "lives"].map { "/v1/history/\($0)" }

  /// Waits until an event of a kind is in the history.
  @discardableResult
  private func event(_ kind: String, _ server: TestServer, _ query: String = "") async throws -> HistoryPages.Event {
    try await eventually(kind) { try await server.history("?kind=\(kind)\(query)").events.first }
  }

  @Test("a room's life is in the history, newest first: who joined, left and was kicked, by whom and why")
  func life() async throws {
    try await TestServer.with { server in
      let host = try await server.join("host", grants: Self.grants, autoSubscribe: false)
      _ = try await server.join("guest", autoSubscribe: false)
      #expect(try await server.api("DELETE", "/v1/rooms/room/participants/guest").status == 204)
      _ = try await host.call(.leave, Empty.self)
      #expect(try await server.api("DELETE", "/v1/rooms/room").status == 204)
      try await event("roomClosed", server)
      let events = try await server.history("?room=room").events
      #expect(
        events.reversed().map { "\($0.kind) \($0.user ?? "")" } == [
          "roomCreated ", "participantJoined host", "participantJoined guest", "participantKicked guest",
          "participantLeft guest", "participantLeft host", "roomClosed ",
        ])
      #expect(events.map(\.id) == events.map(\.id).sorted(by: >))
      let sessions = try await server.historySessions("?room=room")
      #expect(sessions.map(\.user) == ["guest", "host"])
      #expect(sessions.map(\.reason) == ["kickedOut", "left"])
      #expect(sessions.allSatisfy { $0.leftAt ?? 0 >= $0.joinedAt })
      #expect(try await event("serverStarted", server).room == nil)
    }
  }

  @Test("a live has a stream, a duration and the reason of its end, and the history keeps no key")
  func live() async throws {
    try await TestServer.with { server in
      let host = try await server.join("host", grants: Self.grants, autoSubscribe: false)
      let tracks = try await host.publish(.opus, .vp8)
      let url = "rtmp://127.0.0.1:\(server.server.rtmpPort ?? 0)/live/room?key=s3cret"
      _ = try await host.call(
        .startForward(ForwardParams(jobId: "show", publishUrl: url, videoTrackId: tracks[1].trackId)), JobInfo.self)
      try await event("jobStarted", server)
      let running = try #require(try await server.historyLives().first)
      #expect(running.room == "room" && running.job == "show" && running.user == "host")
      #expect(running.stream == "live/room")
      #expect(running.endedAt == nil && running.duration == nil)
      #expect(try await server.api("DELETE", "/v1/rooms/room/jobs/show").status == 204)
      try await event("jobEnded", server)
      let ended = try #require(try await server.historyLives("?room=room&user=host").first)
      #expect(ended.reason == "stopped" && ended.duration == ended.endedAt.map { $0 - ended.startedAt })
      for path in Self.paths {
        #expect(try await !String(decoding: server.api("GET", path).body, as: UTF8.self).contains("s3cret"))
      }
    }
  }

  @Test("a refused join is recorded with its code, room and user, and an attack does not displace the rest")
  func refused() async throws {
    try await TestServer.with({ $0.autoCreateRooms = false }) { server in
      let error = try await server.connect().error(of: .join(JoinParams(token: try server.token("ann", room: "missing"))))
      let refused = try await event("joinRefused", server)
      #expect(refused.room == "missing" && refused.user == "ann" && refused.reason == error?.code.name)
      for _ in 0..<150 {
        #expect(try await server.request("POST", "/whip/missing", token: "no token").status >= 400)
      }
      // Every refusal is either recorded or counted.
      let dropped = try await eventually("all refusals") { () -> Int? in
        let dropped = try await server.metric(#"roomserver_history_dropped_total{reason="joinRate"}"#)
        let recorded = try await server.history("?kind=joinRefused&limit=1000").events.count
        return recorded + dropped == 151 ? dropped : nil
      }
      #expect(dropped > 0)
    }
  }

  @Test("a new server on the data of a killed or a stopped one shows its rows, and who returns continues a session")
  func restart() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "history-\(UUID().uuidString)").path
    let killed = path + "-killed"
    defer { for path in [path, killed] { try? FileManager.default.removeItem(atPath: path) } }
    try await TestServer.with({ $0.data = path }) { server in
      _ = try await server.join("ann", autoSubscribe: false)
      let bob = try await server.join("bob", autoSubscribe: false)
      _ = try await bob.call(.leave, Empty.self)
      try await event("participantLeft", server, "&user=bob")
      try await eventually("the room on disk") { try await server.metric("roomserver_store_waiting") == 0 }
      try FileManager.default.createDirectory(atPath: killed, withIntermediateDirectories: true)
      for name in ["rooms.sqlite", "rooms.sqlite-wal", "history.sqlite", "history.sqlite-wal"]
      where FileManager.default.fileExists(atPath: "\(path)/\(name)") {
        try FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: "\(killed)/\(name)")
      }
    }
    for (data, isStopped) in [(killed, false), (path, true)] {
      try await TestServer.with({ $0.data = data }) { server in
        try await event("roomRestored", server)
        #expect(try await server.history("?kind=serverStopped").events.count == (isStopped ? 1 : 0))
        _ = try await server.join("ann", autoSubscribe: false)
        try await eventually("both joins") { try await server.history("?kind=participantJoined&user=ann").events.count == 2 }
        let sessions = try await server.historySessions()
        #expect(sessions.map(\.user) == ["bob", "ann"])
        #expect(sessions.map(\.reason) == ["left", nil])
        #expect(sessions.last?.leftAt == nil)
      }
    }
  }

  @Test("both rooms of a PK have its start and its end, with the other room and the score as each sees it")
  func pk() async throws {
    try await TestServer.with { server in
      func call(_ path: String, _ json: String) async throws -> TestResponse {
        let response = try await server.api("POST", "/v1/rooms/\(path)", json: json)
        #expect((200..<300).contains(response.status), "\(path)")
        return response
      }
      for (room, user): (RoomName, UserID) in [("a", "ann"), ("b", "bob")] {
        _ = try await server.join(user, room: room, grants: Self.grants, autoSubscribe: false)
      }
      struct PK: Decodable { var pkId: PKID }
      let pk = try await call("a/calls/invitePK", #"{"room":"b"}"#).decoded(PK.self).pkId
      _ = try await eventually("the invitation") {
        let answer = try await server.api("POST", "/v1/rooms/b/calls/acceptPK", json: #"{"pkId":"\#(pk)"}"#)
        return answer.status < 300 ? answer : nil
      }
      for room in ["a", "b"] { try await event("pkBegan", server, "&room=\(room)") }
      _ = try await call("a/calls/setPKScore", #"{"score":5}"#)
      _ = try await call("b/calls/quitPK", "{}")
      for (room, peer) in [("a", "b"), ("b", "a")] {
        let end = try await event("pkEnded", server, "&room=\(room)")
        let start = try await event("pkBegan", server, "&room=\(room)")
        #expect(start.detail == peer && start.time <= end.time)
        #expect(end.reason == "quit" && end.detail?.hasPrefix("\(peer), ") == true)
      }
      #expect(try await event("pkEnded", server, "&room=a").detail == "b, 5 : 0")
    }
  }

  @Test("an alarm is recorded when it is raised and when it is cleared, with its kind, severity and message")
  func alarm() async throws {
    let files = try CertificateFiles()
    let expiring = try await files.other(days: 5)
    try files.write(certificate: expiring.certificate, key: expiring.key)
    try await TestServer.with({ $0.tls = files.settings }) { server in
      // A busy machine raises other alarms.
      func alarms(_ kind: String) async throws -> [HistoryPages.Event] {
        try await server.history("?kind=\(kind)").events.filter { $0.reason == "certificateExpiring" }
      }
      let raised = try await eventually("the alarm") { try await alarms("alarmRaised").first }
      #expect(raised.room == nil && raised.detail?.hasPrefix("warning: The TLS certificate expires in ") == true)
      #expect(try await alarms("alarmCleared").isEmpty)
      try files.write(certificate: SelfSigned.certificateText, key: SelfSigned.keyText)
      let cleared = try await eventually("its end") { try await alarms("alarmCleared").first }
      #expect(cleared.detail == raised.detail)
      #expect(cleared.id > raised.id && cleared.time >= raised.time)
    }
  }

  @Test("an encoder that publishes to the origin without a room has a live, with its address, its duration and its viewers")
  func encoder() async throws {
    try await TestServer.with { server in
      let publisher = try await RTMPPeer.start(.publish, server, "studio?token=\(try server.token("ann", room: "studio"))")
      publisher.sendBeginning()
      let running = try await eventually("the live") { try await server.historyLives().first }
      #expect(running.stream == "live/studio" && running.room == nil && running.job == nil && running.endedAt == nil)
      #expect(running.detail == "127.0.0.1")
      let viewer = try await RTMPPeer.start(.play, server)
      try await eventually("a viewer") { try await server.historyLives().first?.peakViewers == 1 }
      viewer.end()
      publisher.end()
      let ended = try await eventually("the end") { try await server.historyLives().first { $0.endedAt != nil } }
      #expect(ended.id == running.id && ended.duration == ended.endedAt.map { $0 - ended.startedAt })
      let events = try await server.history().events.filter { $0.kind.hasPrefix("stream") }
      #expect(events.map(\.kind) == ["streamEnded", "streamStarted"])
      #expect(events.last?.detail == "live/studio, 127.0.0.1")
    }
  }

  @Test("a drain and its cancellation are recorded")
  func drain() async throws {
    try await TestServer.with { server in
      _ = try await server.join("host", autoSubscribe: false)
      #expect(try await server.api("POST", "/v1/server/drain", json: #"{"seconds":300}"#).status == 202)
      #expect(try await server.api("DELETE", "/v1/server/drain").status == 204)
      try await event("drainCancelled", server)
      #expect(try await server.history("?kind=drainStarted").events.count == 1)
    }
  }

  @Test("only an API token reads the history, and invalid parameters are refused by name")
  func refusals() async throws {
    try await TestServer.with { server in
      for path in Self.paths {
        #expect(try await server.request("GET", path).status == 401)
        #expect(try await server.request("GET", path, token: try server.token("ann", grants: Self.grants)).status == 401)
        for query in ["room=a%20b", "user=", "from=x", "to=-1", "before=x", "limit=0", "limit=1001"] {
          let answer = try await server.api("GET", "\(path)?\(query)")
          #expect(answer.status == 400 && answer.error?.message.hasPrefix(query.prefix { $0 != "=" }) == true, "\(query)")
        }
      }
      #expect(try await server.api("GET", "/v1/history/events?kind=x").status == 400)
    }
  }

  @Test("pages over REST follow each other without gaps")
  func pages() async throws {
    try await TestServer.with { server in
      for index in 0..<7 {
        #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"r\#(index)"}"#).status == 201)
      }
      try await event("roomCreated", server, "&room=r6")
      var (rooms, before) = ([String](), "")
      repeat {
        let page = try await server.history("?kind=roomCreated&limit=3\(before)")
        rooms += page.events.compactMap(\.room)
        before = page.next.map { "&before=\($0)" } ?? ""
      } while !before.isEmpty && rooms.count < 20
      #expect(rooms == (0..<7).reversed().map { "r\($0)" })
    }
  }

  @Test("more events than the limit displace the oldest, and a metric counts them")
  func limit() async throws {
    try await TestServer.with({ $0.history.rows = 100 }) { server in
      for index in 0..<200 { _ = try await server.api("POST", "/v1/rooms", json: #"{"name":"r\#(index)"}"#) }
      try await event("roomCreated", server, "&room=r199")
      #expect(try await server.history("?limit=1000").events.count < 200)
      #expect(try await server.history("?room=r0").events.isEmpty)
      #expect(try await server.metric(#"roomserver_history_dropped_total{reason="rows"}"#) > 0)
    }
  }
}
