import Foundation
import RoomProtocol
import RoomToken
import Testing
import RoomWebRTC

@Suite("Joining")
struct JoinTests {
  @Test("a join is answered with the room's snapshot, and the others are notified")
  func snapshot() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      let tracks = try await alice.publish(.opus)
      let bob = try await server.connect()
      let joined = try await bob.join(try server.token("bob", grants: [.subscribe]))
      #expect(joined.version == signallingVersion)
      #expect(!joined.resumed)
      #expect(joined.me.userId == "bob")
      #expect(joined.participants.map(\.userId) == ["alice"])
      #expect(joined.participants.first?.tracks == tracks)
      #expect(joined.pingInterval == 5000)
      let told = try await alice.event("joined") { if case .joined(let info) = $0 { info } else { nil } }
      #expect(told.userId == "bob")
      #expect(told.grants == [.subscribe])
    }
  }

  @Test("an expired, early, malformed, foreign or revoked token is answered with 10002, and the socket is closed")
  func badTokens() async throws {
    try await TestServer.with { server in
      let foreign = try TokenKeys(["other": "another secret of forty bytes, not known"])
      let soon = Date(timeIntervalSinceNow: 600)
      let tokens = [
        "", "nonsense", "a.b.c", try server.token("u", ttl: -1), try server.apiToken(),
        try foreign.sign(RoomToken(room: "room", user: "u", grants: [.publish], expires: soon), key: "other"),
        try server.keys.sign(
          RoomToken(room: "room", user: "u", grants: [], expires: soon, notBefore: soon), key: TestServer.key),
        String(try server.token("u").dropLast(4)) + "AAAA", try server.token("u u"), try server.token("u", room: "a/b"),
      ]
      for token in tokens {
        let client = try await server.connect()
        #expect(try await client.error(of: .join(JoinParams(token: token)))?.code == .tokenInvalid)
        #expect(try await client.closed() == 1008)
      }
    }
  }

  @Test("with auto-create off an unknown room is 10011, and one that the API created is joined")
  func noAutoCreate() async throws {
    try await TestServer.with({ $0.autoCreateRooms = false }) { server in
      let client = try await server.connect()
      #expect(try await client.error(of: .join(JoinParams(token: try server.token("u"))))?.code == .noSuchRoom)
      _ = try await server.api("POST", "/v1/rooms", json: #"{"name":"room"}"#)
      _ = try await server.join("u")
    }
  }

  @Test("another version of the protocol is rejected with 80101")
  func version() async throws {
    try await TestServer.with { server in
      let client = try await server.connect()
      let token = try server.token("u")
      #expect(try await client.error(of: .join(JoinParams(version: 2, token: token)))?.code == .joinFailed)
    }
  }

  @Test("a request before join is 80103, but a ping is answered")
  func joinFirst() async throws {
    try await TestServer.with { server in
      let client = try await server.connect()
      #expect(try await client.error(of: .ping) == nil)
      #expect(try await client.error(of: .resubscribe)?.code == .notInRoom)
      try await client.closed()
    }
  }

  @Test("a second join on one socket is 80101 and changes nothing")
  func joinTwice() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      #expect(try await alice.error(of: .join(JoinParams(token: try server.token("bob"))))?.code == .joinFailed)
      #expect(try await alice.error(of: .ping) == nil)
      #expect(try await server.metric("roomserver_participants") == 1)
    }
  }

  @Test("a socket that does not join in time gets an error and is closed")
  func joinTime() async throws {
    try await TestServer.with({ $0.keepAlive.joinTime = .milliseconds(100) }) { server in
      let client = try await server.connect()
      #expect(try await client.nextError().code == .joinFailed)
      #expect(try await client.closed() == 1008)
    }
  }

  @Test("a full room is 80101")
  func fullRoom() async throws {
    try await TestServer.with({ $0.limits.participantsPerRoom = 2 }) { server in
      _ = try await server.join("a")
      _ = try await server.join("b")
      let client = try await server.connect()
      #expect(try await client.error(of: .join(JoinParams(token: try server.token("c"))))?.code == .joinFailed)
      #expect(try await server.metric(#"roomserver_limits_hit_total{limit="participants"}"#) == 1)
    }
  }

  @Test("a server with its maximum of rooms rejects another: 80101 over signalling, 429 over REST")
  func fullServer() async throws {
    try await TestServer.with({ $0.limits.rooms = 1 }) { server in
      _ = try await server.join("a")
      let client = try await server.connect()
      let token = try server.token("a", room: "second")
      #expect(try await client.error(of: .join(JoinParams(token: token)))?.code == .joinFailed)
      let response = try await server.api("POST", "/v1/rooms", json: #"{"name":"third"}"#)
      #expect(response.status == 429)
      #expect(response.error?.code == .updateRoomFailed)
    }
  }

  @Test("too many joins from one address are refused for a while")
  func joinRate() async throws {
    try await TestServer.with({
      $0.limits.joinBurst = 3
      $0.limits.joinsPerSecond = 0.001
    }) { server in
      for user: UserID in ["a", "b", "c"] { _ = try await server.join(user) }
      let client = try await server.connect()
      #expect(try await client.error(of: .join(JoinParams(token: try server.token("d"))))?.code == .joinFailed)
      #expect(try await server.metric(#"roomserver_limits_hit_total{limit="join_rate"}"#) == 1)
    }
  }

  @Test("the same user again ends the first session with 401003")
  func duplicateLogin() async throws {
    try await TestServer.with { server in
      let first = try await server.join("alice")
      let bob = try await server.join("bob")
      let second = try await server.join("alice")
      let ended = try await first.event("ended") { if case .ended(let data) = $0 { data } else { nil } }
      #expect(ended.reason == .duplicateLogin)
      #expect(ended.error?.code == .duplicateLogin)
      #expect(try await first.closed() == 1000)
      let left = try await bob.event("left") { if case .left(let data) = $0 { data } else { nil } }
      #expect(left == LeftData(userId: "alice", reason: .duplicateLogin))
      _ = try await bob.event("joined") { if case .joined(let info) = $0, info.userId == "alice" { true } else { nil } }
      #expect(try await second.error(of: .ping) == nil)
      #expect(try await server.metric("roomserver_participants") == 2)
    }
  }

  @Test("a hidden participant sees the others, and is not seen")
  func hidden() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      let ghost = try await server.join("ghost", grants: [.publish, .subscribe, .hidden])
      #expect(try await ghost.error(of: .publish(PublishParams(sdp: "", tracks: [])))?.code == .noPermission)
      _ = try await ghost.call(.leave)
      let bob = try await server.connect()
      let joined = try await bob.join(try server.token("bob"))
      #expect(joined.participants.map(\.userId) == ["alice"])
      // Bob's join is the first event that alice receives: the ghost joined and left before.
      let first = try await alice.event("an event") { $0.name }
      #expect(first == "joined")
      #expect(alice.events.isEmpty)
    }
  }
}
