import Foundation
import RoomPeers
import RoomProtocol
import RoomServer
import RoomTestSupport
import RoomToken
import Testing
import RoomWebRTC

@testable import RoomEngine

@Suite struct WHIPTests {
  @Test("an offer is answered as RFC 9725 requires, and its user is a participant with tracks")
  func created() async throws {
    try await TestServer.with({ configuration in
      configuration.iceServers = [
        ICEServerSetting(urls: ["stun:stun.example.org"]),
        ICEServerSetting(
          urls: ["turn:turn.example.org?transport=udp"], access: .account(username: "u\"s", credential: "pass")),
      ]
    }) { server in
      let bob = try await server.join("bob")
      let response = try await server.post("/whip/room", try server.token("alice"), try HTTPOffer.publish(.opus, .vp8))
      #expect(response.status == 201)
      #expect(response.headers["content-type"] == "application/sdp")
      #expect(response.headers["accept-patch"] == "application/trickle-ice-sdpfrag")
      #expect(response.headers["etag"]?.first == "\"" && response.headers["etag"]?.last == "\"")
      #expect(response.headers["access-control-allow-origin"] == "*")
      #expect(response.headers["access-control-expose-headers"]?.contains("Location") == true)
      let location = try #require(response.headers["location"])
      #expect(location.hasPrefix("/whip/room/sessions/") && location.count > 50)
      let text = String(decoding: response.raw, as: UTF8.self)
      #expect(text.contains("Link: <stun:stun.example.org>; rel=\"ice-server\"\r\n"))
      #expect(
        text.contains(
          "Link: <turn:turn.example.org?transport=udp>; rel=\"ice-server\"; username=\"u\\\"s\"; credential=\"pass\"; "
            + "credential-type=\"password\"\r\n"))
      let answer = try SessionDescription(parsing: response.text)
      #expect(answer.media.allSatisfy { answer.direction(of: $0) == .recvonly })
      #expect(try answer.transport().iceLite && answer.transport().role == .server)

      let joined = try await bob.event("the joining") { if case .joined(let info) = $0 { info } else { nil } }
      #expect(joined.userId == "alice" && joined.tracks.isEmpty)
      let published = try await bob.event("the tracks") { if case .published(let data) = $0 { data } else { nil } }
      #expect(published.tracks.map(\.codec) == [.opus, .vp8])
      #expect(try await server.api("GET", "/v1/rooms/room/participants").text.contains("\"userId\":\"alice\""))
      #expect(try await server.metric("roomserver_whip_sessions_total") == 1)
      #expect(try await server.metric("roomserver_participants") == 2)
    }
  }

  @Test("the token of an ended PK is rejected, and no participant joins")
  func guestWithoutPK() async throws {
    try await TestServer.with { server in
      let token = try server.keys.sign(
        RoomToken(
          room: "room", user: "alice", grants: [.publish, .subscribe], expires: Date(timeIntervalSinceNow: 60), pk: "over"),
        key: TestServer.key)
      let response = try await server.post("/whip/room", token, try HTTPOffer.publish(.opus))
      #expect(response.status == 403 && response.error?.code == .roomNotInPK)
      #expect(try await server.metric("roomserver_participants") == 0)
    }
  }

  @Test("DELETE ends the session at once, and its URL is no longer valid")
  func deleted() async throws {
    try await TestServer.with { server in
      let bob = try await server.join("bob")
      let token = try server.token("alice")
      let session = try await server.post("/whip/room", token, try HTTPOffer.publish(.opus)).location()
      #expect(try await server.http("GET", session, token).status == 204)
      #expect(try await server.http("DELETE", session).status == 401)
      #expect(try await server.http("DELETE", session, try server.token("mallory")).status == 403)
      #expect(try await server.http("DELETE", session, try server.token("alice", room: "other")).status == 403)
      #expect(try await server.http("DELETE", "/whip/room/sessions/guess", token).status == 404)
      #expect(try await server.http("DELETE", session.replacing("/whip/", with: "/whep/"), token).status == 404)
      // An entity tag has no effect here (RFC 9725 §4.3.1).
      #expect(try await server.http("DELETE", session, token, headers: ["If-Match": "\"old\""]).status == 200)
      let left = try await bob.event("the leaving") { if case .left(let data) = $0 { data } else { nil } }
      #expect(left.userId == "alice" && left.reason == .left)
      #expect(try await server.http("DELETE", session, token).status == 404)
      #expect(try await server.http("GET", session, token).status == 404)
    }
  }

  @Test("tokens: missing, foreign, of another room, without the grant, and of a kicked user")
  func tokens() async throws {
    try await TestServer.with { server in
      let offer = try HTTPOffer.publish(.opus)
      var response = try await server.post("/whip/room", nil, offer)
      #expect(response.status == 401 && response.headers["www-authenticate"] == "Bearer")
      #expect(response.error?.code == .tokenInvalid)
      response = try await server.post("/whip/room", "nonsense", offer)
      #expect(response.status == 401 && response.headers["www-authenticate"] == "Bearer error=\"invalid_token\"")
      #expect(try await server.post("/whip/room", try server.token("alice", ttl: -5), offer).status == 401)
      #expect(try await server.post("/whip/room", try server.apiToken(), offer).status == 401)
      response = try await server.post("/whip/room", try server.token("alice", room: "other"), offer)
      #expect(response.status == 403 && response.headers["www-authenticate"] == "Bearer error=\"insufficient_scope\"")
      #expect(try await server.post("/whip/room", try server.token("alice", grants: .subscribe), offer).status == 403)
      #expect(
        try await server.post("/whip/room", try server.token("alice", grants: [.publish, .hidden]), offer).status == 403)
      #expect(try await server.post("/whep/room", try server.token("alice", grants: .publish), offer).status == 403)
      #expect(try await server.metric(#"roomserver_joins_total{code="10002"}"#) == 4)

      let token = try server.token("alice")
      let session = try await server.post("/whip/room", token, offer).location()
      #expect(try await server.api("DELETE", "/v1/rooms/room/participants/alice").status == 204)
      #expect(try await server.http("DELETE", session, token).status == 404, "a kicked one's session is gone")
      #expect(try await server.post("/whip/room", token, offer).status == 401, "and its token is dead")
      #expect(try await server.post("/whip/room", try server.token("alice"), offer).status == 201)
    }
  }

  @Test("bodies: of another type, empty, not SDP, invalid, and without a common codec")
  func bodies() async throws {
    try await TestServer.with { server in
      let token = try server.token("alice")
      let offer = try HTTPOffer.publish(.opus, .vp8)
      var response = try await server.post("/whip/room", token, offer, type: "application/json")
      #expect(response.status == 415 && response.headers["accept-post"] == "application/sdp")
      #expect(try await server.post("/whip/room", token, "").status == 400)
      #expect(try await server.post("/whip/room", token, "hello").status == 400)
      response = try await server.post("/whip/room", token, offer.replacing("a=rtcp-mux\r\n", with: ""))
      #expect(response.status == 422 && response.error?.message.contains("rtcp-mux") == true)
      #expect(try await server.post("/whip/room", token, offer.replacing("sendonly", with: "recvonly")).status == 422)
      response = try await server.post("/whip/room", token, offer.replacing("VP8/90000", with: "H265/90000"))
      #expect(response.status == 406, "no session of which a part is missing")
      #expect(response.error?.message.contains("no codec in common") == true)
      #expect(response.headers["access-control-allow-origin"] == "*")
      #expect(try await server.post("/whip/room", token, String(repeating: "x", count: 70_000)).status == 413)
      #expect(try await server.api("GET", "/v1/rooms").text.contains("\"participants\":0"), "nobody came in")
      #expect(try await server.post("/whip/room", token, offer, type: "application/sdp; charset=utf-8").status == 201)
    }
  }

  @Test(
    "the server is the DTLS client if the client is only a DTLS server, as ffmpeg is", arguments: ["/whip/room", "/whep/room"])
  func passive(path: String) async throws {
    try await TestServer.with { server in
      let offer = path.hasPrefix("/whip") ? try HTTPOffer.publish(.opus) : HTTPOffer.view(.opus)
      let response = try await server.post(path, try server.token("alice"), offer.replacing("actpass", with: "passive"))
      #expect(response.status == 201)
      #expect(try SessionDescription(parsing: response.text).transport().role == .client)
    }
  }

  @Test("an unknown room is not found, and a full one is unavailable for a while")
  func rooms() async throws {
    try await TestServer.with({
      $0.autoCreateRooms = false
      $0.limits.tracksPerParticipant = 2
    }) { server in
      let offer = try HTTPOffer.publish(.opus)
      #expect(try await server.post("/whip/room", try server.token("alice"), offer).status == 404)
      #expect(try await server.post("/whep/room", try server.token("alice"), offer).status == 404)
      #expect(try await server.api("POST", "/v1/rooms", json: "{\"name\":\"room\",\"maxParticipants\":2}").status == 201)
      for user: UserID in ["alice", "bob"] { _ = try await server.join(user) }
      var response = try await server.post("/whip/room", try server.token("carol"), offer)
      #expect(response.status == 503 && response.headers["retry-after"] != nil)
      response = try await server.post("/whep/room/alice", try server.token("carol"), HTTPOffer.view(.opus))
      #expect(response.status == 503)
      #expect(
        try await server.post("/whip/room", try server.token("alice"), offer).status == 201, "in one's own place there is room")
      response = try await server.post("/whip/room", try server.token("alice"), try HTTPOffer.publish(.opus, .vp8, .h264()))
      #expect(response.status == 406 && response.error?.message.contains("2 tracks") == true)
      #expect(try await server.metric("roomserver_limits_hit_total{limit=\"participants\"}") == 2)
    }
  }

  @Test("the newer of two sessions of one user stays")
  func duplicate() async throws {
    try await TestServer.with { server in
      let bob = try await server.join("bob")
      let token = try server.token("alice")
      let first = try await server.post("/whip/room", token, try HTTPOffer.publish(.opus)).location()
      let second = try await server.post("/whip/room", token, try HTTPOffer.publish(.opus)).location()
      let left = try await bob.event("the first one's leaving") { if case .left(let data) = $0 { data } else { nil } }
      #expect(left.reason == .duplicateLogin)
      #expect(try await server.http("DELETE", first, token).status == 404)
      #expect(try await server.http("DELETE", second, token).status == 200)
    }
  }

  @Test("a client whose media never connects leaves")
  func neverConnects() async throws {
    try await TestServer.with({ $0.rooms.connectTime = .milliseconds(200) }) { server in
      let bob = try await server.join("bob")
      let token = try server.token("alice")
      let session = try await server.post("/whip/room", token, try HTTPOffer.publish(.opus)).location()
      let viewing = try await server.post("/whep/room/alice", token, HTTPOffer.view(.opus)).location()
      let left = try await bob.event("its leaving") { if case .left(let data) = $0 { data } else { nil } }
      #expect(left.reason == .timedOut)
      #expect(try await server.http("GET", session, token).status == 404)
      try await eventually("the viewer is gone") { try await server.http("GET", viewing, token).status == 404 }
    }
  }

  @Test("too many offers from one address are refused")
  func throttled() async throws {
    try await TestServer.with({
      $0.limits.joinsPerSecond = 0
      $0.limits.joinBurst = 1
    }) { server in
      let token = try server.token("alice")
      #expect(try await server.post("/whip/room", token, try HTTPOffer.publish(.opus)).status == 201)
      let response = try await server.post("/whep/room", token, HTTPOffer.view(.opus))
      #expect(response.status == 429 && response.headers["retry-after"] == "1")
    }
  }

  @Test("a track from WHIP is muted like any other, and a room's end ends its session")
  func moderated() async throws {
    try await TestServer.with { server in
      let bob = try await server.join("bob")
      let token = try server.token("alice")
      let session = try await server.post("/whip/room", token, try HTTPOffer.publish(.opus)).location()
      let published = try await bob.event("the track") { if case .published(let data) = $0 { data } else { nil } }
      let track = try #require(published.tracks.first).trackId
      #expect(try await server.api("POST", "/v1/rooms/room/tracks/\(track)/mute", json: "{\"muted\":true}").status == 200)
      #expect(try await server.api("DELETE", "/v1/rooms/room").status == 204)
      #expect(try await server.http("GET", session, token).status == 404)
    }
  }
}
