import RoomDigests
import Foundation
import RoomHTTPServer
import RoomProtocol

/// The console: a page at `/`, and its files at `/console/*`. The files of `Console/Page` are compiled into the program:
/// nothing is read from disk, and nothing is loaded from other servers.
struct ConsolePages: Sendable {
  /// A file ready to be sent.
  struct File: Sendable {
    var body: [UInt8]
    /// A strong ETag (RFC 9110 §8.8.3): the start of the content's SHA-256, quoted.
    var tag: String
    var type: String
  }

  private let files: [String: File]

  init(_ files: [(name: String, text: String)] = EmbeddedPage.files) {
    self.files = Dictionary(
      files.map { ($0.name, File(name: $0.name, text: $0.text)) }, uniquingKeysWith: { first, _ in first })
  }

  var endpoints: [Endpoint] {
    [
      Endpoint("GET", "/", access: .open, action: .answer { request, _ in answer(request, name: "index.html") }),
      Endpoint(
        "GET", "/console/*", access: .open, action: .answer { request, names in answer(request, name: names.first ?? "") }),
    ]
  }

  private func answer(_ request: HTTPRequest, name: String) -> HTTPResponse {
    guard let file = files[name] else { return .error(404, HTTPError.noSuchPath) }
    // Revalidated on each load, and answered without a body if unchanged: an old page never runs against a new server.
    let headers = [("ETag", file.tag), ("Cache-Control", "no-cache")]
    if request.header("if-none-match", lists: file.tag) || request.header("if-none-match", lists: "w/\(file.tag)")
      || request.header("if-none-match") == "*"
    {
      return HTTPResponse(status: 304, headers: headers)
    }
    return HTTPResponse(status: 200, headers: headers + [("Content-Type", file.type)] + Self.guards, body: file.body)
  }

  /// The permissions of the page: its own files, camera, microphone and screen; no inline code, no framing, and no text that
  /// becomes HTML. It may connect to any server, because a draining server names the next one while the page is open.
  static let guards: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src *",
        "media-src * blob:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
      ].joined(separator: "; ")
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(self), microphone=(self), display-capture=(self), geolocation=(), payment=(), usb=()"),
  ]
}

extension ConsolePages.File {
  fileprivate init(name: String, text: String) {
    body = [UInt8](text.utf8)
    tag = "\"\(Digest.sha256.digest(of: body).prefix(12).hexadecimal)\""
    type =
      switch name.split(separator: ".").last {
      case "html": "text/html; charset=utf-8"
      case "css": "text/css; charset=utf-8"
      case "js": "text/javascript; charset=utf-8"
      case "svg": "image/svg+xml"
      default: "application/octet-stream"
      }
  }
}
