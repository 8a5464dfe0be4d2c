import Foundation
import RoomProtocol
import RoomServer
import RoomTestSupport
import RoomToken
import Testing

@Suite("Leaving, disconnecting and resuming")
struct LeavingTests {
  @Test("leave is answered, the socket is closed and the others are notified")
  func leave() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      let bob = try await server.join("bob")
      _ = try await alice.call(.leave)
      #expect(try await alice.closed() == 1000)
      let left = try await bob.event("left") { if case .left(let data) = $0 { data } else { nil } }
      #expect(left == LeftData(userId: "alice", reason: .left))
    }
  }

  @Test("the kicked user and the others are notified of the kick and its author, and the token stays revoked")
  func kick() async throws {
    try await TestServer.with { server in
      let token = try server.token("bob")
      let bob = try await server.connect()
      try await bob.join(token)
      let alice = try await server.join("alice", grants: [.admin, .subscribe])
      let carol = try await server.join("carol")
      _ = try await alice.call(.kick(UserParams(userId: "bob")))
      let ended = try await bob.event("ended") { if case .ended(let data) = $0 { data } else { nil } }
      #expect(ended.reason == .kickedOut)
      #expect(ended.by == "alice")
      #expect(try await bob.closed() == 1000)
      let kicked = try await carol.event("kicked") { if case .kicked(let data) = $0 { data } else { nil } }
      #expect(kicked == KickedData(userId: "bob", by: "alice"))
      _ = try await carol.event("left") { if case .left(let data) = $0, data.reason == .kickedOut { true } else { nil } }

      let again = try await server.connect()
      #expect(try await again.error(of: .join(JoinParams(token: token)))?.code == .tokenInvalid)
      // A new token is valid.
      _ = try await server.join("bob")
    }
  }

  @Test("a kick of a user whose token has no jti leaves the user's later tokens alone")
  func kickWithoutName() async throws {
    try await TestServer.with { server in
      func token(ttl: Double) throws -> String {
        try server.keys.sign(
          RoomToken(room: "room", user: "bob", grants: [.publish], expires: Date(timeIntervalSinceNow: ttl), id: ""),
          key: TestServer.key)
      }
      let (old, new) = (try token(ttl: 600), try token(ttl: 601))
      try await server.connect().join(old)
      #expect(try await server.api("DELETE", "/v1/rooms/room/participants/bob").status == 204)
      #expect(try await server.connect().error(of: .join(JoinParams(token: old)))?.code == .tokenInvalid)
      try await server.connect().join(new)
    }
  }

  @Test("kicking requires the admin grant and a participant")
  func kickRefused() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      let admin = try await server.join("admin", grants: [.admin])
      #expect(try await alice.error(of: .kick(UserParams(userId: "admin")))?.code == .noPermission)
      #expect(try await admin.error(of: .kick(UserParams(userId: "nobody")))?.code == .notInRoom)
    }
  }

  @Test("the API kicks, and the token stays revoked after the room's end")
  func kickByAPI() async throws {
    try await TestServer.with({ $0.rooms.autoCreatedEmptyTime = .zero }) { server in
      let token = try server.token("bob")
      let bob = try await server.connect()
      try await bob.join(token)
      #expect(try await server.api("DELETE", "/v1/rooms/room/participants/bob").status == 204)
      let ended = try await bob.event("ended") { if case .ended(let data) = $0 { data } else { nil } }
      #expect(ended.by == "")
      try await eventually("the room closes") { try await server.metric("roomserver_rooms") == 0 }
      let again = try await server.connect()
      #expect(try await again.error(of: .join(JoinParams(token: token)))?.code == .tokenInvalid)
    }
  }

  @Test("a participant whose socket is lost stays in the room; the session resumes with its tracks")
  func resume() async throws {
    try await TestServer.with { server in
      let bob = try await server.join("bob")
      let token = try server.token("alice")
      let alice = try await server.connect()
      let first = try await alice.join(token)
      let tracks = try await alice.publish(.opus, .vp8)
      alice.kill()
      let lost = try await bob.event("connectionChanged") { if case .connectionChanged(let data) = $0 { data } else { nil } }
      #expect(lost == ConnectionData(userId: "alice", connected: false))

      let again = try await server.connect()
      let resumed = try await again.join(token, resume: first.sessionId)
      #expect(resumed.resumed)
      #expect(resumed.sessionId == first.sessionId)
      #expect(resumed.me.tracks == tracks)
      let back = try await bob.event("connectionChanged") { if case .connectionChanged(let data) = $0 { data } else { nil } }
      #expect(back == ConnectionData(userId: "alice", connected: true))
      #expect(!bob.events.contains { $0.name == "left" || $0.name == "unpublished" })
    }
  }

  @Test("a session may be resumed while its old socket still seems connected")
  func resumeOverLiveSocket() async throws {
    try await TestServer.with { server in
      let token = try server.token("alice")
      let old = try await server.connect()
      let first = try await old.join(token)
      let new = try await server.connect()
      #expect(try await new.join(token, resume: first.sessionId).resumed)
      try await old.closed()
      #expect(!old.events.contains { $0.name == "ended" })
      #expect(try await new.error(of: .ping) == nil)
      #expect(try await server.metric("roomserver_participants") == 1)
    }
  }

  @Test("a wrong session id is a new session, which ends the old one")
  func resumeWithWrongSecret() async throws {
    try await TestServer.with { server in
      let old = try await server.join("alice")
      let new = try await server.connect()
      let joined = try await new.join(try server.token("alice"), resume: "guessed")
      #expect(!joined.resumed)
      _ = try await old.event("ended") { if case .ended(let data) = $0, data.reason == .duplicateLogin { true } else { nil } }
    }
  }

  @Test("a token with other grants starts a new session instead of resuming")
  func resumeWithOtherGrants() async throws {
    try await TestServer.with { server in
      let old = try await server.connect()
      let first = try await old.join(try server.token("alice"))
      let new = try await server.connect()
      let joined = try await new.join(try server.token("alice", grants: [.subscribe]), resume: first.sessionId)
      #expect(!joined.resumed)
      #expect(joined.me.grants == [.subscribe])
    }
  }

  @Test("an offer that was lost with the socket is sent again on the next one")
  func resumeRepeatsOffer() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      let token = try server.token("bob")
      let bob = try await server.connect()
      let first = try await bob.join(token)
      try await alice.publish(.opus)
      let offer = try await bob.offer()
      bob.kill()
      _ = try await alice.event("connectionChanged") { if case .connectionChanged = $0 { true } else { nil } }
      let again = try await server.connect()
      try await again.join(token, resume: first.sessionId)
      #expect(try await again.offer() == offer)
    }
  }

  @Test("a participant who does not reconnect within the grace time has left")
  func graceOver() async throws {
    try await TestServer.with({ $0.rooms.graceTime = .milliseconds(50) }) { server in
      let bob = try await server.join("bob")
      let token = try server.token("alice")
      let alice = try await server.connect()
      let first = try await alice.join(token)
      alice.kill()
      let left = try await bob.event("left") { if case .left(let data) = $0 { data } else { nil } }
      #expect(left == LeftData(userId: "alice", reason: .timedOut))
      let again = try await server.connect()
      #expect(try await again.join(token, resume: first.sessionId).resumed == false)
    }
  }

  @Test("a silent socket is closed, one that only answers pings is not")
  func deadSocket() async throws {
    try await TestServer.with({
      $0.keepAlive.pingInterval = .milliseconds(300)
      $0.keepAlive.silence = .seconds(4)
    }) { server in
      let quiet = try await server.join("quiet")
      let dead = try await server.join("dead")
      try await dead.wire.freeze()
      let lost = try await quiet.event("connectionChanged", within: .seconds(30)) {
        if case .connectionChanged(let data) = $0 { data } else { nil }
      }
      #expect(lost == ConnectionData(userId: "dead", connected: false))
      #expect(quiet.pings >= 3)
      #expect(try await server.metric("roomserver_signalling_sockets_dead_total") == 1)
      #expect(try await quiet.error(of: .ping) == nil)
    }
  }

  @Test("with the default times a dead socket is closed within 15 s")
  func defaultTimes() {
    let keepAlive = KeepAlive()
    #expect(keepAlive.pingInterval == .seconds(5))
    #expect(keepAlive.silence <= .seconds(15))
  }

  @Test("a stopping server notifies all participants and closes their sockets")
  func stop() async throws {
    let server = try await TestServer.start()
    let alice = try await server.join("alice")
    let unjoined = try await server.connect()
    await server.server.stop()
    let ended = try await alice.event("ended") { if case .ended(let data) = $0 { data } else { nil } }
    #expect(ended.reason == .serverStopping)
    #expect(try await alice.closed() == 1001)
    try await unjoined.closed()
    await #expect(throws: (any Error).self) { _ = try await Wire.connect(port: server.server.port) }
  }
}
