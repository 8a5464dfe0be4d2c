import RoomProtocol
import RoomTestSupport
import Testing

@Suite("Invalid HTTP requests")
struct BadRequestTests {
  @Test(
    "an unknown path is 404 with a JSON error", arguments: ["/nope", "/v1", "/v1/rooms/a/b/c", "/v1//rooms", "/v1/rooms/%ff"])
  func unknownPath(path: String) async throws {
    try await TestServer.with { server in
      let response = try await server.api("GET", path)
      #expect(response.status == 404)
      #expect(response.headers["content-type"] == "application/json")
      #expect(response.error?.code == .unknownMessage)
    }
  }

  @Test("a wrong method is 405 and names the right ones")
  func wrongMethod() async throws {
    try await TestServer.with { server in
      for (method, path, allowed) in [
        ("PUT", "/v1/rooms", "GET, HEAD, POST"), ("POST", "/healthz", "GET, HEAD"),
        ("PUT", "/v1/rooms/a", "GET, HEAD, PATCH, DELETE"),
        ("GET", "/v1/tokens", "POST"), ("OPTIONS", "/", "GET, HEAD"),
      ] {
        let response = try await server.api(method, path)
        #expect(response.status == 405, "\(method) \(path)")
        #expect(response.headers["allow"] == allowed, "\(method) \(path)")
      }
    }
  }

  @Test("a body over 64 KiB is 413, declared, chunked or endless")
  func tooLarge() async throws {
    try await TestServer.with { server in
      let head = "POST /v1/rooms HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n"
      let body = String(repeating: " ", count: 65537)
      #expect(try await server.raw(head + "Content-Length: 65537\r\n\r\n" + body).status == 413)
      #expect(try await server.raw(head + "Content-Length: 9000000000\r\n\r\n" + body).status == 413)
      #expect(
        try await server.raw(head + "Transfer-Encoding: chunked\r\n\r\n10001\r\n" + body + "\r\n0\r\n\r\n").status == 413)

      let wire = try await Wire.connect(port: server.server.port)
      wire.send(head + "Transfer-Encoding: chunked\r\n\r\n")
      for _ in 0..<64 where !wire.isClosed { wire.send("10000\r\n" + String(repeating: " ", count: 65536) + "\r\n") }
      try await eventually("the endless sender is cut off") { wire.isClosed }
    }
  }

  @Test("a body without length is 411, one that is not JSON 415, JSON of another shape 400")
  func unreadableBody() async throws {
    try await TestServer.with { server in
      let bearer = "Authorization: Bearer \(try server.apiToken())\r\n"
      let head = "POST /v1/rooms HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\(bearer)"
      #expect(try await server.raw(head + "Content-Type: application/json\r\n\r\n").status == 411)
      #expect(try await server.raw(head + "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}").status == 415)
      #expect(try await server.raw(head + "Content-Length: 2\r\n\r\n{}").status == 415)
      for body in [
        "", "{", "[]", "null", "{}", #"{"name":7}"#, #"{"name":"a b"}"#, #"{"name":""}"#, #"{"name":"a","emptyTimeout":-1}"#,
        #"{"name":"a","maxParticipants":0}"#, #"{"name":"a","colour":"red"}"#, "\u{0}", String(repeating: "[", count: 60000),
      ] {
        let response = try await server.api("POST", "/v1/rooms", json: body)
        #expect(response.status == 400, "\(body.prefix(40))")
        #expect(response.error?.message.isEmpty == false, "\(body.prefix(40))")
      }
    }
  }

  @Test("an upload without a token is rejected before its body is read, and does not count as an upload")
  func uploads() async throws {
    try await TestServer.with { server in
      var wires: [Wire] = []
      for _ in 0..<20 {
        let wire = try await Wire.connect(port: server.server.port)
        wire.send("PUT /v1/rooms/room/images/logo HTTP/1.1\r\nHost: test\r\nContent-Length: 2000000\r\n\r\n")
        wires.append(wire)
      }
      for wire in wires { #expect(try await wire.response().status == 401) }
      // The room does not exist.
      #expect(try await server.putImage("logo", [UInt8](repeating: 7, count: 1000)).status == 404)
      for wire in wires { wire.close() }
    }
  }

  @Test("garbage instead of HTTP is rejected, and the server continues")
  func garbage() async throws {
    try await TestServer.with { server in
      var generator = SeededGenerator(seed: 11)
      for _ in 0..<200 {
        let wire = try await Wire.connect(port: server.server.port)
        let start = Bool.random(using: &generator) ? Array(SignalClient.handshake.utf8) : []
        var bytes =
          start
          + (0..<Int.random(in: 1...300, using: &generator)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
          bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: .min ... .max, using: &generator)
        }
        wire.send(bytes)
        wire.close()
      }
      #expect(try await server.request("GET", "/healthz").status == 200)
    }
  }

  @Test("an upgrade other than to WebSocket 13 is rejected")
  func badUpgrade() async throws {
    try await TestServer.with { server in
      #expect(try await server.request("GET", "/v1/signal").status == 426)
      for (old, new, status) in [
        ("Version: 13", "Version: 8", 426), ("Upgrade: websocket", "Upgrade: h2c", 426),
        ("dGhlIHNhbXBsZSBub25jZQ==", "short", 400),
      ] {
        let response = try await server.raw(SignalClient.handshake.replacing(old, with: new))
        #expect(response.status == status, "\(new)")
      }
    }
  }

  @Test("a frame sent directly after the upgrade request is received")
  func earlyFrame() async throws {
    try await TestServer.with { server in
      let wire = try await Wire.connect(port: server.server.port)
      defer { wire.close() }
      wire.send(Array(SignalClient.handshake.utf8) + Frame(opcode: 9, payload: [1, 2, 3]).bytes(masked: true))
      #expect(try await wire.response().status == 101)
      let pong = try await wire.next(Frame.init(taking:))
      #expect(pong.opcode == 10)
      #expect(pong.payload == [1, 2, 3])
    }
  }
}
