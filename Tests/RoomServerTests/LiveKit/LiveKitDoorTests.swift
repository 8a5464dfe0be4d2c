import Foundation
import RoomHTTPServer
import RoomLiveKitProtocol
import RoomProtocol
import RoomToken
import Testing

@testable import RoomLiveKitServer
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

  private static func parameter(_ request: LiveKit.JoinRequest, isCompressed: Bool = true) -> String {
    let wrapped = LiveKit.WrappedJoinRequest {
      $0.compression = isCompressed ? .gzip : .none
      $0.joinRequest = isCompressed ? Gzip.compress(request.protobuf) ?? [] : request.protobuf
    }
    return Data(wrapped.protobuf).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "%3D")
  }

  @Test("a client with a single connection has a join request, compressed or not; pages of other origins can read the answer")
  func joinRequest() async throws {
    try await TestServer.with { server in
      let token = try token(server)
      let good = LiveKit.JoinRequest { $0.clientInfo = LiveKit.ClientInfo { $0.protocolNumber = 17 } }
      let long = LiveKit.JoinRequest { $0.metadata = String(repeating: "m", count: LiveKit.JoinRequest.longest) }
      let many = LiveKit.JoinRequest { $0.addTrackRequests = Array(repeating: .init(), count: 33) }
      // As long as Chromium's first offer. A URL has at most 8 kB.
      let chromium = LiveKit.JoinRequest {
        $0.publisherOffer = LiveKit.SessionDescription { $0.sdp = String(repeating: "a=rtpmap:96 VP8/90000\r\n", count: 760) }
      }
      let cases: [(String, Int)] = [
        (Self.parameter(good), 200), (Self.parameter(chromium), 200), (Self.parameter(chromium, isCompressed: false), 414),
        (Self.parameter(good, isCompressed: false), 200), ("", 400), ("AAAA", 400), ("%%", 400),
        (Self.parameter(long), 400), (Self.parameter(many), 400),
      ]
      for (request, status) in cases {
        for path in ["/rtc/v1/validate", "//rtc/v1/validate"] {
          let response = try await server.request("GET", "\(path)?access_token=\(token)&join_request=\(request)")
          #expect(response.status == status, "\(request.prefix(30)): \(text(response))")
          #expect(response.headers["access-control-allow-origin"] == "*")
        }
      }
    }
  }

  @Test("what a join request says of the participant counts only if the token permits it") func profile() throws {
    let request = LiveKit.JoinRequest { ($0.metadata, $0.participantAttributes) = ("new", ["b": "2"]) }
    var token = LiveKitToken(key: "key", identity: ForeignName("ann"), expires: .distantFuture)
    (token.name, token.metadata, token.attributes) = ("Ann", "old", ["a": "1"])
    #expect(token.profile(request) == ParticipantProfile(name: "Ann", metadata: "old", attributes: ["a": "1"]))
    token.grants.canUpdateOwnMetadata = true
    #expect(token.profile(request) == ParticipantProfile(name: "Ann", metadata: "new", attributes: ["a": "1", "b": "2"]))
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
        for path in ["/rtc", "/rtc/validate", "/rtc/v1", "/rtc/v1/validate"] {
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
