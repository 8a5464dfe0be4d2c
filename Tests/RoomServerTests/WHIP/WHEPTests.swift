import RoomPeers
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing
import RoomWebRTC

@Suite struct WHEPTests {
  @Test("a viewer is answered before its user has joined, is not announced, and is counted")
  func waits() async throws {
    try await TestServer.with { server in
      let bob = try await server.join("bob", grants: [.publish, .subscribe, .admin])
      let token = try server.token("carol")
      let response = try await server.post("/whep/room/alice", token, HTTPOffer.view(.opus, .vp8))
      #expect(response.status == 201 && response.headers["etag"] != nil)
      let answer = try SessionDescription(parsing: response.text)
      #expect(answer.media.allSatisfy { answer.direction(of: $0) == .sendonly })
      let session = try response.location()
      #expect(session.hasPrefix("/whep/room/sessions/"))

      #expect(try await server.metric("roomserver_viewers") == 1)
      #expect(try await server.metric("roomserver_participants") == 1)
      #expect(try await server.api("GET", "/v1/rooms/room").text.contains("\"viewers\":1"))
      #expect(try await server.api("GET", "/v1/rooms").text.contains("\"viewers\":1"))

      _ = try await server.post("/whip/room", try server.token("alice"), try HTTPOffer.publish(.opus, .vp8))
      // The first event that bob receives is alice's join, and not carol's.
      let joined = try await bob.event("somebody's joining") { if case .joined(let info) = $0 { info } else { nil } }
      #expect(joined.userId == "alice")
      try await eventually("the tracks are sent") { try await server.metric("roomserver_subscriptions") == 2 }
      #expect(try await server.http("DELETE", session, token).status == 200)
      try await eventually("they no longer are") { try await server.metric("roomserver_subscriptions") == 0 }
      #expect(try await server.metric("roomserver_viewers") == 0)
    }
  }

  @Test("only codecs that the viewer offered are sent, made for it if nobody publishes them, and kinds that it receives")
  func codecs() async throws {
    try await TestServer.with { server in
      _ = try await server.post("/whip/room", try server.token("alice"), try HTTPOffer.publish(.opus, .vp8))
      let token = try server.token("carol")
      _ = try await server.post("/whep/room/alice", token, HTTPOffer.view(.h264()))
      _ = try await server.post("/whep/room/alice", token, HTTPOffer.view(.opus, .h264()))
      try await eventually("the audio of one, and for both a video made in their codec") {
        try await server.metric("roomserver_subscriptions") == 3
      }
      #expect(try await server.metric("roomserver_renditions_total") == 1)
      _ = try await server.post("/whip/room", try server.token("alice"), try HTTPOffer.publish(.opus, .h264(.main)))
      try await eventually("all three, in another session of the user") {
        try await server.metric("roomserver_subscriptions") == 3
      }
      #expect(try await server.metric("roomserver_renditions_total") == 1, "it decodes what is published now")
    }
  }

  @Test("an unsuitable offer is rejected with a status that gives the reason")
  func refused() async throws {
    try await TestServer.with { server in
      let token = try server.token("carol")
      let offer = HTTPOffer.view(.opus, .vp8)
      #expect(try await server.post("/whep/room", token, offer.replacing("recvonly", with: "sendonly")).status == 422)
      #expect(try await server.post("/whep/room", token, offer.replacing("VP8/90000", with: "H265/90000")).status == 406)
      #expect(try await server.post("/whep/room", token, "v=1").status == 400)
      #expect(try await server.post("/whep/room/no%20name", token, offer).status == 404)
      #expect(try await server.post("/whep/room/a/b/c", token, offer).status == 404)
    }
  }

  @Test("kicking a user ends its viewing too")
  func kicked() async throws {
    try await TestServer.with { server in
      let token = try server.token("carol")
      let session = try await server.post("/whep/room", token, HTTPOffer.view(.opus)).location()
      #expect(try await server.api("DELETE", "/v1/rooms/room/participants/nobody").status == 404)
      #expect(try await server.api("DELETE", "/v1/rooms/room/participants/carol").status == 204)
      #expect(try await server.http("GET", session, token).status == 404)
      #expect(try await server.post("/whep/room", token, HTTPOffer.view(.opus)).status == 401)
    }
  }

  @Test("OPTIONS lists what any page may request, GET returns no content, and other methods are not allowed")
  func methods() async throws {
    try await TestServer.with { server in
      for path in ["/whip/room", "/whep/room", "/whep/room/alice"] {
        let options = try await server.http("OPTIONS", path)
        #expect(options.status == 200 && options.headers["accept-post"] == "application/sdp")
        #expect(options.headers["access-control-allow-origin"] == "*")
        #expect(options.headers["access-control-allow-headers"]?.contains("Authorization") == true)
        #expect(try await server.http("GET", path).status == 204)
        let put = try await server.http("PUT", path)
        #expect(put.status == 405 && put.headers["allow"]?.contains("POST") == true)
      }
      let options = try await server.http("OPTIONS", "/whep/room/sessions/x")
      #expect(options.status == 200 && options.headers["accept-patch"] == "application/trickle-ice-sdpfrag")
      let post = try await server.http("POST", "/whep/room/sessions/x")
      #expect(post.status == 405 && post.headers["allow"]?.contains("PATCH") == true)
    }
  }

  @Test("a session names its layers and selects one at the URL in its Link")
  func layers() async throws {
    try await TestServer.with { server in
      let token = try server.token("carol")
      let response = try await server.post("/whep/room", token, HTTPOffer.view(.opus, .vp8))
      let layer = try response.location() + "/layer"
      #expect(response.headers["link"]?.contains("<\(layer)>; rel=\"urn:ietf:params:whep:ext:core:layer\"") == true)
      let answer = try await server.http("GET", layer, token)
      #expect(answer.status == 200 && answer.text == #"{"layers":[]}"#)
      let json = "application/json"
      #expect(try await server.post(layer, token, #"{"mediaId":"0","encodingId":null}"#, type: json).status == 204)
      let missing = try await server.post(layer, token, #"{"encodingId":"h"}"#, type: json)
      #expect(missing.status == 400 && missing.text.contains("no layer"))
      #expect(try await server.post(layer, token, #"{"encoding":"h"}"#, type: json).status == 400)
      #expect(try await server.post(layer, token, #"{"encodingId":null}"#, type: "text/plain").status == 415)
      for (token, status) in [(nil, 403), ("no token", 401), (try server.token("eve"), 403)] as [(String?, Int)] {
        #expect(try await server.http("GET", layer, token).status == status)
        #expect(try await server.post(layer, token, "{}", type: json).status == status)
      }
      // A publisher has no layers to select.
      let published = try await server.post("/whip/room", token, try HTTPOffer.publish(.opus))
      #expect(try await server.http("GET", try published.location() + "/layer", token).status == 404)
      #expect(try await server.http("DELETE", try response.location(), token).status == 200)
      #expect(try await server.post(layer, token, "{}", type: json).status == 404)
    }
  }
}
