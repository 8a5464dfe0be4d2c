import RoomEngine
import RoomHTTPServer
import RoomLiveOrigin
import RoomProtocol

/// The watch page, at `/watch/{room}` and `/watch/{app}/{stream}`. It is the same for everybody: the page asks `WatchAPI` what it
/// may show. Its modules are among the files of `ConsolePages`.
struct WatchPages: Sendable {
  private let page: String

  init(_ files: [(name: String, text: String)] = EmbeddedPage.files) {
    page = files.first { $0.name == "watch.html" }?.text ?? ""
  }

  var endpoints: [Endpoint] {
    [
      Endpoint(
        "GET", "/watch/*", access: .open,
        action: .answer { _, names in NameRule.allows(names[0]) ? answer(title: names[0]) : Self.notFound }),
      Endpoint(
        "GET", "/watch/*/*", access: .open,
        action: .answer { _, names in
          StreamPath(app: names[0], stream: names[1]) == nil ? Self.notFound : answer(title: names[1])
        }),
    ]
  }

  private static let notFound = HTTPResponse.error(404, HTTPError.noSuchPath)

  /// - Parameter title: a name without characters that have a meaning in HTML.
  private func answer(title: String) -> HTTPResponse {
    HTTPResponse(
      status: 200, headers: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-cache")] + Self.guards,
      body: [UInt8](page.replacing("{{title}}", with: title).utf8))
  }

  /// The permissions of the page: its own files and media of this server. Other pages may embed it.
  private static let guards: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
        "media-src 'self' blob:", "base-uri 'none'", "form-action 'none'", "frame-ancestors *",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
      ].joined(separator: "; ")
    ),
    ("X-Content-Type-Options", "nosniff"),
    // The page's URL may contain a token.
    ("Referrer-Policy", "no-referrer"),
    ("Permissions-Policy", "camera=(), microphone=(), display-capture=(), geolocation=(), payment=(), usb=()"),
  ]
}
