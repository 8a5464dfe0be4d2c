import RoomHTTPServer
import RoomServer

/// The console: a page at `/`, and its files at `/console/{version}/*`.
struct ConsolePages: Sendable {
  private let files: PageFiles

  init(_ files: PageFiles = .embedded) { self.files = files }

  var endpoints: [Endpoint] {
    [
      files.document("index.html", at: "/", headers: Self.guards),
      // Browsers request it for answers without an icon of their own, such as JSON.
      files.document("icon.svg", at: "/favicon.ico"),
    ] + files.endpoints
  }

  /// The permissions of the page: its own files, camera, microphone and screen; no inline code, no framing, and no text that
  /// becomes HTML. It may connect to any server, because a draining server names the next one while the page is open.
  static let guards: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:", "connect-src *",
        "media-src * blob:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
      ].joined(separator: "; ")
    ),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(self), microphone=(self), display-capture=(self), geolocation=(), payment=(), usb=()"),
  ]
}
