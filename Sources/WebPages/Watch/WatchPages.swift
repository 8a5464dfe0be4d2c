import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomLiveOrigin
import RoomProtocol
import RoomServer

/// The watch page, at `/watch/{room}` and `/watch/{app}/{stream}`. It is the same for everybody: the page asks `WatchAPI` what it
/// may show. Its modules are among the console's files.
struct WatchPages: Sendable {
  private let files: PageFiles
  private let addresses: Guarded<PlayAddresses>

  /// - Parameter addresses: those of this server, for the link of the page's picture.
  init(_ files: PageFiles = .embedded, addresses: Guarded<PlayAddresses>) {
    self.files = files
    self.addresses = addresses
  }

  var endpoints: [Endpoint] {
    [
      files.document("watch.html", at: "/watch/*", headers: Self.guards) { _, names in
        NameRule.allows(names[0]) ? values(names[0], "/watch/\(names[0])/picture.jpg") : nil
      },
      files.document("watch.html", at: "/watch/*/*", headers: Self.guards) { request, names in
        StreamPath(app: names[0], stream: names[1]).map { path in
          values(path.stream, "/watch\(path)/picture.jpg" + Self.signature(request.query))
        }
      },
    ]
  }

  private func values(_ title: String, _ picture: String) -> [String: String] {
    ["title": title, "picture": addresses.withLock { $0.http } + picture]
  }

  /// The part of the page's query that signs it, and its picture.
  private static func signature(_ query: String) -> String {
    let parts = query.split(separator: "&").filter { $0.hasPrefix("wsSecret=") || $0.hasPrefix("wsTime=") }
    return parts.isEmpty ? "" : "?" + parts.joined(separator: "&")
  }

  /// The permissions of the page: its own files, and media of any server, because a draining server names the next one. Other
  /// pages may embed it.
  private static let guards: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src *",
        "media-src * blob:", "base-uri 'none'", "form-action 'none'", "frame-ancestors *",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
      ].joined(separator: "; ")
    ),
    // The page's URL may contain a token.
    ("Referrer-Policy", "no-referrer"),
    ("Permissions-Policy", "camera=(), microphone=(), display-capture=(), geolocation=(), payment=(), usb=()"),
  ]
}
