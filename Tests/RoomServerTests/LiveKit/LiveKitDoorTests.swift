import Foundation
import RoomProtocol
import RoomToken
import Testing

@testable import RoomServer

@Suite("LiveKit's clients: the paths at which they join")
struct LiveKitDoorTests {
  private func token(
    _ server: TestServer, room: String = "a room", ttl: Double = 600, _ adjust: (inout LiveKitToken) -> Void = { _ in }
  ) throws -> String {
    var token = LiveKitToken(
      key: TestServer.key, identity: ForeignName("ann+x"), expires: Date(timeIntervalSinceNow: ttl))
    token.grants.roomJoin = true
    token.grants.room = ForeignName(room)
    adjust(&token)
    return try server.keys.sign(token)
  }

  private func text(_ response: TestResponse) -> String { String(decoding: response.body, as: UTF8.self) }

  @Test("a valid token is confirmed, in the query and in the header, also behind a double slash") func valid() async throws {
    try await TestServer.with { server in
      let token = try token(server)
      for path in ["/rtc/validate", "//rtc/validate"] {
        let response = try await server.request("GET", "\(path)?access_token=\(token)&protocol=17")
        #expect(response.status == 200 && text(response) == "success")
        #expect(response.headers["access-control-allow-origin"] == "*")
      }
      #expect(try await server.request("GET", "/rtc/validate", token: token).status == 200)
    }
  }

  @Test("the next version of the signalling is not here, which pages of other origins can read") func nextVersion() async throws
  {
    try await TestServer.with { server in
      let token = try token(server)
      for path in ["/rtc/v1", "/rtc/v1/validate", "//rtc/v1"] {
        let response = try await server.request("GET", "\(path)?access_token=\(token)&join_request=AAAA")
        #expect(response.status == 404 && response.headers["access-control-allow-origin"] == "*", "\(path)")
        #expect(!text(response).contains("requested room does not exist"))
      }
    }
  }

  @Test("the server can be asked whether it is there") func root() async throws {
    try await TestServer.with { server in
      for method in ["GET", "HEAD"] {
        let response = try await server.raw(
          "\(method) / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n".replacing("HEAD", with: "GET"))
        #expect(response.status == 200 && response.headers["access-control-allow-origin"] == "*")
      }
    }
  }

  @Test("a client without a valid token gets no WebSocket, and learns why") func refused() async throws {
    try await TestServer.with { server in
      let upgrade =
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
      let cases: [(String, String)] = [
        ("", "token"), ("access_token=a.b.c", "malformed"),
        ("access_token=" + (try token(server, ttl: -100)), "expired"),
        ("access_token=" + (try server.token("ann")), "kid"),
        ("access_token=" + (try token(server) { $0.grants.roomJoin = false }), "type"),
      ]
      for (query, reason) in cases {
        for path in ["/rtc", "/rtc/validate"] {
          let response = try await server.raw("GET \(path)?\(query) HTTP/1.1\r\nHost: test\r\n\(upgrade)\r\n")
          #expect(response.status == 401 && text(response).contains(reason), "\(path)?\(query.prefix(30)): \(text(response))")
          #expect(response.headers["content-type"]?.hasPrefix("text/plain") == true)
        }
      }
    }
  }

  @Test("a worker of agents needs a token with the grant agent") func worker() async throws {
    try await TestServer.with { server in
      let upgrade =
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
      let cases: [(String, Int)] = [
        ("", 401), ("a.b.c", 401), (try server.token("ann"), 401), (try server.apiToken(), 401), (try token(server), 401),
        (try token(server, ttl: -100) { $0.grants.agent = true }, 401), (try token(server) { $0.grants.agent = true }, 101),
      ]
      for (token, status) in cases {
        let response = try await server.raw(
          "GET /agent HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer \(token)\r\n\(upgrade)\r\n")
        #expect(response.status == status, "\(token.prefix(30)): \(text(response))")
      }
      let plain = try await server.request("GET", "/agent", token: cases[cases.count - 1].0)
      #expect(plain.status >= 400)
    }
  }

  @Test("where joins make no rooms, a missing room is not found") func missingRoom() async throws {
    try await TestServer.with({ $0.autoCreateRooms = false }) { server in
      let token = try token(server, room: "demo")
      let response = try await server.request("GET", "/rtc/validate", token: token)
      #expect(response.status == 404 && text(response) == "requested room does not exist")
      _ = try await server.api("POST", "/v1/rooms", json: #"{"name":"demo"}"#)
      #expect(try await server.request("GET", "/rtc/validate", token: token).status == 200)
    }
  }
}
