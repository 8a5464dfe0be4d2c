/// Rejects requests whose end a proxy may locate differently than this server (RFC 9112 §6.3), and requests that name no host
/// or several (§3.2). libmicrohttpd 0.9.75 accepts them.
enum HTTPFraming {
  /// The maximum bytes of a path with its query.
  static let targetBytes = 8 << 10
  /// The maximum bytes of a request's line and headers. The library's own limit is higher, and its error is an HTML page.
  static let headBytes = 16 << 10

  /// - Parameters:
  ///   - version: "HTTP/1.1".
  ///   - bytes: the size of the request's line and headers.
  /// - Returns: the error response, after which the connection must end; nil if the request is valid.
  static func refusal(_ request: HTTPRequest, version: String, bytes: Int) -> HTTPResponse? {
    if request.target.utf8.count + request.query.utf8.count > targetBytes {
      return refusal(414, "a path with its query is at most \(targetBytes) bytes")
    }
    if bytes > headBytes { return refusal(431, "a request's line and headers are at most \(headBytes) bytes") }
    return validationError(request, version: version).map { refusal(400, $0) }
  }

  private static func refusal(_ status: Int, _ sentence: String) -> HTTPResponse {
    .error(status, HTTPError.badRequest(sentence), headers: [("Connection", "close")])
  }

  private static func validationError(_ request: HTTPRequest, version: String) -> String? {
    guard request.headers.allSatisfy({ isToken($0.name) }) else { return "a header name is invalid" }
    let hosts = request.headers.count { $0.name == "host" }
    if version == "HTTP/1.0" ? hosts > 1 : hosts != 1 { return "a request must have exactly one Host" }
    let lengths = request.headers.filter { $0.name == "content-length" }
    let codings = request.headers.filter { $0.name == "transfer-encoding" }
    if lengths.count > 1 { return "a request must not have several Content-Length headers" }
    if let length = lengths.first, length.value.isEmpty || !length.value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return "Content-Length must be a number"
    }
    guard let coding = codings.first else { return nil }
    if !lengths.isEmpty { return "a request must not have both Content-Length and Transfer-Encoding" }
    if version == "HTTP/1.0" { return "HTTP/1.0 has no Transfer-Encoding" }
    guard codings.count == 1, coding.value.lowercased() == "chunked" else { return "Transfer-Encoding must be chunked" }
    return nil
  }

  /// Returns whether the name is a token (RFC 9110 §5.6.2).
  private static func isToken(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }
}
