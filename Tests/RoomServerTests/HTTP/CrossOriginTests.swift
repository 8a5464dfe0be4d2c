import Testing

@Suite("Calls from pages of other origins")
struct CrossOriginTests {
  @Test("a browser may send a preflight request to the API, and read every answer")
  func api() async throws {
    try await TestServer.with { server in
      let asked = try await server.http(
        "OPTIONS", "/v1/rooms", headers: ["Origin": "https://a.example", "Access-Control-Request-Method": "POST"])
      #expect(asked.status == 204 && asked.body.isEmpty)
      #expect(asked.headers["access-control-allow-origin"] == "*")
      #expect(asked.headers["access-control-allow-methods"] == "GET, POST")
      #expect(asked.headers["access-control-allow-headers"] == "Authorization, Content-Type")
      for (path, token, status) in [
        ("/v1/rooms", try server.apiToken(), 200), ("/v1/rooms/none", try server.apiToken(), 404), ("/v1/rooms", "none", 401),
      ] {
        let answer = try await server.request("GET", path, token: token)
        #expect(answer.status == status && answer.headers["access-control-allow-origin"] == "*", "\(path) \(status)")
        #expect(answer.headers["access-control-allow-credentials"] == nil)
      }
    }
  }

  @Test("other requests, and other paths, are unaffected")
  func others() async throws {
    try await TestServer.with { server async throws in
      #expect(try await server.http("OPTIONS", "/v1/rooms").status == 405)
      #expect(try await server.http("OPTIONS", "/v1/none", headers: ["Access-Control-Request-Method": "GET"]).status == 404)
      #expect(try await server.http("OPTIONS", "/", headers: ["Access-Control-Request-Method": "GET"]).status == 405)
      for path in ["/healthz", "/metrics"] {
        #expect(try await server.http("GET", path).headers["access-control-allow-origin"] == nil, "\(path)")
      }
    }
  }
}
