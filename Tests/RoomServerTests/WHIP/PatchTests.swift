import RoomPeers
import RoomServer
import Testing
import RoomWebRTC

@Suite struct PatchTests {
  private static let candidates = "m=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\na=end-of-candidates\r\n"
  private static let credentials = "a=ice-ufrag:newU\r\na=ice-pwd:0123456789012345678901\r\n"

  private func patch(
    _ server: TestServer, _ session: String, _ token: String, _ body: String, match: String? = nil,
    type: String = "application/trickle-ice-sdpfrag"
  ) async throws -> TestResponse {
    var headers = ["Content-Type": type]
    if let match { headers["If-Match"] = match }
    return try await server.http("PATCH", session, token, headers: headers, body: body)
  }

  @Test("trickled candidates are accepted only with the session's entity tag")
  func trickle() async throws {
    try await TestServer.with { server in
      let token = try server.token("alice")
      let response = try await server.post("/whip/room", token, try HTTPOffer.publish(.opus))
      let session = try response.location()
      let tag = try #require(response.headers["etag"])
      let taken = try await patch(server, session, token, Self.candidates, match: tag)
      #expect(taken.status == 204 && taken.headers["etag"] == nil && taken.body.isEmpty)
      #expect(try await patch(server, session, token, Self.candidates, match: "\"x\", \(tag)").status == 204)
      #expect(try await patch(server, session, token, Self.candidates).status == 428)
      #expect(try await patch(server, session, token, Self.candidates, match: "\"x\"").status == 412)
      #expect(try await patch(server, session, token, Self.candidates, match: "W/\(tag)").status == 412)
      #expect(
        try await patch(server, session, token, Self.candidates, match: "*").status == 400, "a restart without credentials")
      #expect(try await patch(server, session, token, "nonsense", match: tag).status == 400)
      #expect(try await patch(server, session, token, "", match: tag).status == 400)
      let typed = try await patch(server, session, token, Self.candidates, match: tag, type: "application/sdp")
      #expect(typed.status == 415 && typed.headers["accept-patch"] == "application/trickle-ice-sdpfrag")
      #expect(try await server.http("PATCH", session).status == 401)
      #expect(try await patch(server, session, try server.token("bob"), Self.candidates, match: tag).status == 403)
      #expect(try await patch(server, "/whip/room/sessions/x", token, Self.candidates, match: tag).status == 404)
    }
  }

  @Test(
    "an ICE restart returns new credentials and a new entity tag, for WHIP and WHEP", arguments: ["/whip/room", "/whep/room"])
  func restart(path: String) async throws {
    try await TestServer.with { server in
      let token = try server.token("alice")
      let offer = path.hasPrefix("/whip") ? try HTTPOffer.publish(.opus) : HTTPOffer.view(.opus)
      let response = try await server.post(path, token, offer)
      let session = try response.location()
      let tag = try #require(response.headers["etag"])
      let before = try SessionDescription(parsing: response.text).transport().credentials

      let restarted = try await patch(server, session, token, Self.credentials, match: "*")
      #expect(restarted.status == 200 && restarted.headers["content-type"] == "application/trickle-ice-sdpfrag")
      let next = try #require(restarted.headers["etag"])
      #expect(next != tag)
      let fragment = try ICEFragment(parsing: restarted.text)
      let credentials = try #require(fragment.credentials)
      #expect(credentials.ufrag != before.ufrag && credentials.password != before.password)
      #expect(fragment.iceLite && !fragment.candidates.isEmpty)

      #expect(try await patch(server, session, token, Self.candidates, match: tag).status == 412, "the old ICE session is over")
      #expect(try await patch(server, session, token, Self.credentials + Self.candidates, match: next).status == 204)
      #expect(try await patch(server, session, token, Self.credentials, match: "*").status == 204, "sent twice is one restart")
      #expect(try await server.metric("roomserver_ice_restarts_total") == 1)
    }
  }

  @Test("the number of restarts is limited")
  func endless() async throws {
    try await TestServer.with { server in
      let token = try server.token("alice")
      let session = try await server.post("/whep/room", token, HTTPOffer.view(.opus)).location()
      var status = 200
      var count = 0
      while status == 200, count < 100 {
        count += 1
        let body = "a=ice-ufrag:user\(count)\r\na=ice-pwd:0123456789012345678901\r\n"
        status = try await patch(server, session, token, body, match: "*").status
      }
      #expect(status == 429 && count == 61)
      #expect(try await server.http("DELETE", session, token).status == 200, "the session is still there")
    }
  }
}
