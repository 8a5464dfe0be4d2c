import Testing

extension TestServer {
  /// Sends a request with a room token.
  func http(
    _ method: String, _ path: String, _ token: String? = nil, headers: [String: String] = [:], body: String? = nil
  ) async throws -> TestResponse {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: test\r\nConnection: close\r\n"
    if let token { head += "Authorization: Bearer \(token)\r\n" }
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.utf8.count)\r\n" }
    return try await raw(head + "\r\n" + (body ?? ""))
  }

  func post(
    _ path: String, _ token: String?, _ offer: String, type: String = "application/sdp"
  ) async throws -> TestResponse {
    try await http("POST", path, token, headers: ["Content-Type": type], body: offer)
  }
}

extension TestResponse {
  var text: String { String(decoding: body, as: UTF8.self) }

  /// Returns the URL of the started session.
  func location() throws -> String { try #require(headers["location"], "\(status) \(text)") }
}
