import Foundation
import Logging
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomServer
@testable import RoomEngine

@Suite("Rooms outlive their server")
struct RestartTests {
  /// A test's own directory.
  private final class Directory {
    let path = FileManager.default.temporaryDirectory.appending(path: "restart-\(UUID().uuidString)").path
    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns a copy of what a server that was killed now would have left.
    func copied() throws -> Directory {
      let copy = Directory()
      try FileManager.default.createDirectory(atPath: copy.path, withIntermediateDirectories: true)
      for name in ["rooms.sqlite", "rooms.sqlite-wal"] where FileManager.default.fileExists(atPath: "\(path)/\(name)") {
        try FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: "\(copy.path)/\(name)")
      }
      return copy
    }
  }

  private static let grants: Grants = [.publish, .subscribe, .admin, .relay]

  private func state(_ server: TestServer, _ room: RoomName = "room") async throws -> RoomSnapshot {
    try await server.api("GET", "/v1/rooms/\(room)/state").decoded()
  }

  private func call(_ server: TestServer, _ method: String, _ body: String, room: RoomName = "room") async throws {
    let answer = try await server.api("POST", "/v1/rooms/\(room)/calls/\(method)", json: body)
    #expect(answer.status == 200, "\(method): \(String(decoding: answer.body, as: UTF8.self))")
  }

  private func written(_ server: TestServer) async throws {
    try await eventually("all is written") { try await server.metric("roomserver_store_waiting") == 0 }
  }

  /// Fills a server's room, then restarts with the data of a killed and of a stopped server.
  private func withBoth(
    prepare: (TestServer) async throws -> Void, check: (_ server: TestServer, _ before: RoomSnapshot) async throws -> Void
  ) async throws {
    let first = Directory()
    var killed: Directory?
    var before: RoomSnapshot?
    try await TestServer.with({ $0.data = first.path }) { server in
      try await prepare(server)
      try await written(server)
      killed = try first.copied()
      before = try await state(server)
    }
    for left in [try #require(killed), first] {
      try await TestServer.with({ $0.data = left.path }) { try await check($0, try #require(before)) }
    }
  }

  @Test("seats, layout, attributes, messages, settings and jobs are restored")
  func room() async throws {
    try await withBoth { server in
      let made = try await server.api(
        "POST", "/v1/rooms", json: #"{"name":"room","audience":"separate","maxParticipants":3,"emptyTimeout":60}"#)
      #expect(made.status == 201)
      let host = try await server.join("host", grants: Self.grants, autoSubscribe: false)
      _ = try await server.join("guest", autoSubscribe: false)
      try await call(server, "setLayout", #"{"type":"gridFour"}"#)
      _ = try await host.call(.seats(.set(SeatSwitches(index: 3, locked: true))))
      try await call(server, "setAttributes", #"{"set":{"title":"Friday"}}"#)
      _ = try await host.call(.sendMessage(MessageParams(.text, text: "hello")), MessageResult.self)
      let tracks = try await host.publish(.opus, .vp8)
      _ = try await host.call(
        .startForward(
          ForwardParams(jobId: "live", publishUrl: "rtmp://origin/live/room?serialnum=7", videoTrackId: tracks[1].trackId)),
        JobInfo.self)
      _ = try await host.call(
        .startMerge(
          MergeParams(
            jobId: "mix", publishAs: "mix", width: 160, height: 90, fps: 5, preset: .ultrafast,
            layouts: [TrackLayout(userId: "host", x: 0, y: 0, width: 160, height: 90)])), JobInfo.self)
    } check: { server, before in
      let now = try await state(server)
      #expect(now.seats == before.seats && now.seats[0].userId == "host" && now.seats[3].locked)
      #expect(now.layout == before.layout && now.layout.type == .gridFour)
      #expect(now.attributes == before.attributes && now.attributes["title"] == "Friday")
      #expect(now.messages == before.messages && now.messages.map(\.text) == ["hello"])
      #expect(now.createdAt == before.createdAt)
      // No sequence number is used twice.
      #expect(now.seq > before.seq)
      func text(_ jobs: [JobInfo]) -> [String] {
        jobs.map { "\($0.jobId) \($0.kind) \($0.target ?? "") \($0.publishAs ?? "") \($0.by ?? "") \($0.startedAt ?? 0)" }
      }
      #expect(text(now.jobs) == text(before.jobs) && now.jobs.count == 2)
      // The URL is still the same broadcast: a new job needs a larger serial number.
      let refused = try await server.api(
        "POST", "/v1/rooms/room/jobs",
        json: #"{"jobId":"late","publishUrl":"rtmp://origin/live/room?serialnum=7","userId":"host"}"#)
      #expect(refused.error?.code == .publishFailed)
      // Participants resume their membership, also with the old session id; the room still allows three, including the mix.
      let host = try await server.connect()
      let joined = try await host.join(try server.token("host", grants: Self.grants), resume: "of another life")
      #expect(!joined.resumed)
      #expect(joined.room.seats[0].userId == "host")
      #expect(try await state(server).seats == before.seats)
      _ = try await server.join("third")
      let last = try await server.connect().error(of: .join(JoinParams(token: try server.token("fourth"))))
      #expect(last?.code == .joinFailed)
    }
  }

  @Test("a participant who does not reconnect within the grace time has left, and an empty room closes")
  func nobodyComes() async throws {
    let first = Directory()
    try await TestServer.with({ $0.data = first.path }) { server in
      _ = try await server.join("host", grants: Self.grants)
      try await written(server)
    }
    // A server with the usual grace time: the short one may end before the question.
    try await TestServer.with({ $0.data = first.path }) { server in
      let restored = try await state(server)
      #expect(restored.seats[0].userId == "host")
    }
    try await TestServer.with({
      $0.data = first.path
      $0.rooms.graceTime = .milliseconds(300)
    }) { server in
      let other = try await server.join("other")
      try await eventually("the host's seat is free") { try await state(server).seats[0].userId == nil }
      _ = try await other.call(.leave)
    }
  }

  @Test(
    "a closed room is not restored, a kicked user's token stays revoked, and images are available to mixes")
  func gone() async throws {
    let first = Directory()
    var token = ""
    try await TestServer.with({ $0.data = first.path }) { server in
      token = try server.token("eve")
      _ = try await server.connect().join(token)
      #expect(try await server.api("DELETE", "/v1/rooms/room/participants/eve").status == 204)
      #expect(try await server.putImage("logo", SmallPNG.file(width: 8, height: 6)).status == 204)
      #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"other"}"#).status == 201)
      #expect(try await server.api("DELETE", "/v1/rooms/other").status == 204)
      try await written(server)
    }
    try await TestServer.with({ $0.data = first.path }) { server in
      #expect(try await server.api("GET", "/v1/rooms/other").status == 404)
      #expect(try await server.connect().error(of: .join(JoinParams(token: token)))?.code == .tokenInvalid)
      let job = try await server.api(
        "POST", "/v1/rooms/room/merge-jobs",
        json: """
          {"jobId":"mix","publishAs":"mix","width":160,"height":90,"fps":5,"background":{"image":"logo"},"layouts":[]}
          """)
      #expect(job.status == 201, "\(String(decoding: job.body, as: UTF8.self))")
    }
  }

  @Test("a PK between two rooms continues when both anchors reconnect, and ends if one does not")
  func pk() async throws {
    let first = Directory()
    let killed = try await TestServer.withResult({ $0.data = first.path }) { server in
      let anchor = try await server.join("ann", grants: Self.grants)
      _ = try await server.join("bob", room: "b", grants: Self.grants)
      let invited = try await anchor.call(.pk(.invite(PKInviteParams(room: "b", duration: 3600))), PKInviteResult.self)
      try await eventually("the invitation is there") {
        try await state(server, "b").pkInvitations.contains { $0.pkId == invited.pkId }
      }
      try await call(server, "acceptPK", #"{"pkId":"\#(invited.pkId)"}"#, room: "b")
      try await eventually("the PK is on") {
        let (a, b) = (try await state(server).pk, try await state(server, "b").pk)
        return a != nil && b != nil
      }
      try await call(server, "setPKScore", #"{"score":12}"#)
      try await eventually("the notification") { try await state(server, "b").pk?.peerScore == 12 }
      try await written(server)
      return try first.copied()
    }
    try await TestServer.with({
      $0.data = killed.path
      $0.rooms.rules.pkGraceTime = 20_000
    }) { server in
      let (a, b) = (try await state(server).pk, try await state(server, "b").pk)
      #expect(a?.score == 12 && b?.peerScore == 12 && a?.pkId == b?.pkId && a?.connected == false)
      #expect(a?.endsAt == a.map { $0.startedAt + 3_600_000 } && a?.endsAt == b?.endsAt)
      let ann = try await server.join("ann", grants: Self.grants)
      _ = try await server.join("bob", room: "b", grants: Self.grants)
      try await eventually("both anchors are there") {
        let (a, b) = (try await state(server).pk, try await state(server, "b").pk)
        return a?.connected == true && a?.peerConnected == true && b?.connected == true && b?.peerConnected == true
      }
      _ = try await ann.call(.pk(.quit))
      try await eventually("the PK has ended") { try await state(server, "b").pk == nil }
    }
  }

  @Test("unreadable rooms are logged and set aside, and a directory in use by another server is rejected")
  func unreadable() async throws {
    let first = Directory()
    try await TestServer.with({ $0.data = first.path }) { server in
      #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"room"}"#).status == 201)
      try await written(server)
      await #expect { try await TestServer.start { $0.data = first.path } } throws: { "\($0)".contains("another server") }
    }
    let data = try DataDirectory(first.path)
    let store = try SQLiteStore(path: data.privateFile(SQLiteStore.fileName))
    try await store.write([.room(name: "broken", RoomRecord(room: Data("{}".utf8)))])
    let stored = try await store.load()
    #expect(stored.rooms.keys.sorted() == ["room"] && stored.unreadable.keys.sorted() == ["broken"])
    // The unreadable room is kept under another name, next to a new room with its name.
    let whole = try JSONEncoder().encode(try #require(stored.rooms["room"]))
    try await store.write([.room(name: "broken", RoomRecord(room: whole))])
    let later = try await store.load()
    #expect(later.rooms.keys.sorted() == ["broken", "room"] && later.unreadable.isEmpty && later.setAside == ["broken"])
    await store.close()
    for name in ["rooms.sqlite", "webhooks.sqlite"] {
      #expect(try FileManager.default.attributesOfItem(atPath: data.file(name))[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test("a call is answered once its change is on disk: a kill right after the answer loses nothing")
  func acknowledged() async throws {
    let first = Directory()
    let token = Shared("")
    let killed = try await TestServer.withResult({ $0.data = first.path }) { server in
      let host = try await server.join("host", grants: Self.grants)
      token.withLock { $0 = (try? server.token("eve")) ?? "" }
      var copies: [Directory] = []
      for round in 0..<5 {
        #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"new\#(round)"}"#).status == 201)
        copies.append(try first.copied())
        _ = try await host.call(.setAttributes(AttributeParams(set: ["round": "\(round)"])))
        copies.append(try first.copied())
        _ = try await host.call(.seats(.set(SeatSwitches(index: 1, locked: round % 2 == 0))))
        copies.append(try first.copied())
        #expect(try await server.api("DELETE", "/v1/rooms/new\(round)").status == 204)
        copies.append(try first.copied())
      }
      _ = try await server.connect().join(token.withLock { $0 })
      _ = try await host.call(.kick(UserParams(userId: "eve")))
      copies.append(try first.copied())
      return copies
    }
    for (index, copy) in killed.enumerated() {
      let store = try SQLiteStore(path: try DataDirectory(copy.path).privateFile(SQLiteStore.fileName))
      let stored = try await store.load()
      await store.close()
      let (round, step) = (index / 4, index % 4)
      guard round < 5 else {
        #expect(stored.kicked.map(\.user) == ["eve"])
        continue
      }
      let room = try #require(stored.rooms["room"])
      #expect(stored.rooms.keys.contains("new\(round)") == (step < 3), "\(round), \(step)")
      let attribute = step >= 1 ? round : round - 1
      #expect(room.state.attributes["round"] == (attribute < 0 ? nil : "\(attribute)"))
      let isLocked = room.state.snapshot(for: nil).seats[1].locked
      #expect(isLocked == ((round % 2 == 0) == (step >= 2)))
    }
  }
}
