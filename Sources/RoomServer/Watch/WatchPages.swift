import RoomEngine
import RoomHTTPServer
import RoomLiveOrigin
import RoomProtocol

/// The watch page, at `/watch/{room}` and `/watch/{app}/{stream}`. It is the same for everybody: the page asks `WatchAPI` what it
/// may show. Its modules are among the console's files.
struct WatchPages: Sendable {
  private let files: PageFiles

  init(_ files: PageFiles = .embedded) { self.files = files }

  var endpoints: [Endpoint] {
    [
      files.document("watch.html", at: "/watch/*", headers: Self.guards) { _, names in
        NameRule.allows(names[0]) ? ["title": names[0]] : nil
      },
      files.document("watch.html", at: "/watch/*/*", headers: Self.guards) { _, names in
        StreamPath(app: names[0], stream: names[1]).map { ["title": $0.stream] }
      },
    ]
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
    // The page's URL may contain a token.
    ("Referrer-Policy", "no-referrer"),
    ("Permissions-Policy", "camera=(), microphone=(), display-capture=(), geolocation=(), payment=(), usb=()"),
  ]
}
