import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomServer

@Suite("Requests that a proxy may parse differently")
struct FramingTests {
  /// Sends bytes. Returns the first answer once the server has closed the connection, and everything received after it.
  private func exchange(_ text: String, _ server: TestServer) async throws -> (response: TestResponse, rest: [UInt8]) {
    let wire = try await Wire.connect(port: server.server.port)
    defer { wire.close() }
    wire.send(text)
    let response = try await wire.response()
    try await eventually("the connection is closed") { wire.isClosed }
    return (response, try await wire.next { bytes in bytes })
  }

  private static let smuggled = "GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n"

  @Test(
    "are rejected with a JSON error, and nothing after them is read",
    arguments: [
      "POST /v1/tokens HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 40\r\n\r\n{}",
      "POST /v1/tokens HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
      "POST /v1/tokens HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST /v1/tokens HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      "POST /v1/tokens HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST /v1/tokens HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST /v1/tokens HTTP/1.1\r\nHost: a\r\nContent-Length : 2\r\n\r\n{}",
      "GET /healthz HTTP/1.1\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
      "GET /healthz HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n",
    ])
  func refused(text: String) async throws {
    try await TestServer.with { server in
      let (response, rest) = try await exchange(text + Self.smuggled, server)
      #expect(response.status == 400)
      #expect(response.headers["content-type"] == "application/json")
      #expect(response.error?.code == .unknownMessage)
      #expect(rest == [])
    }
  }

  @Test("long ones are rejected with a JSON error")
  func long() async throws {
    try await TestServer.with { server in
      let long = String(repeating: "x", count: 10_000)
      let paths = try await exchange("GET /\(long) HTTP/1.1\r\nHost: a\r\n\r\n", server).response
      #expect(paths.status == 414 && paths.error?.code == .unknownMessage)
      let query = try await exchange("GET /?\(long) HTTP/1.1\r\nHost: a\r\n\r\n", server).response
      #expect(query.status == 414 && query.error?.code == .unknownMessage)
      let heads = try await exchange("GET / HTTP/1.1\r\nHost: a\r\nX: \(long)\r\nY: \(long)\r\n\r\n", server).response
      #expect(heads.status == 431 && heads.error?.code == .unknownMessage)
    }
  }

  @Test("valid ones are answered, one after the other")
  func fine() async throws {
    try await TestServer.with { server in
      let wire = try await Wire.connect(port: server.server.port)
      defer { wire.close() }
      let bearer = "Authorization: Bearer \(try server.apiToken())\r\nContent-Type: application/json\r\n"
      let body = #"{"name":"a"}"#
      wire.send(
        Self.smuggled + "GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
          + "POST /v1/rooms HTTP/1.1\r\nHost: a\r\n\(bearer)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
          + "POST /v1/rooms HTTP/1.1\r\nHost: a\r\n\(bearer)Transfer-Encoding: Chunked\r\n\r\nc\r\n\(body)\r\n0\r\n\r\n"
          + Self.smuggled)
      for status in [200, 200, 201, 200, 200] { #expect(try await wire.response().status == status) }
    }
  }
}
