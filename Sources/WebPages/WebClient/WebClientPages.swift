import Foundation
import RoomDigests
import RoomHTTPServer
import RoomServer
import RoomWebClient

/// The web client: its modules at `/sdk/{version}/*`, what a page needs to load them at `/v1/sdk`, and example pages.
struct WebClientPages: Sendable {
  /// Modules of other origins are loaded by CORS, also by pages that isolate themselves.
  static let files = PageFiles(
    WebClient.modules + WebClient.maps, at: "/sdk",
    headers: [("Access-Control-Allow-Origin", "*"), ("Cross-Origin-Resource-Policy", "cross-origin")])

  /// The version that this server serves.
  private struct Version: Codable, Sendable {
    struct Module: Codable, Sendable {
      var path: String
      /// The value of the attribute `integrity`.
      var integrity: String
    }

    var version: String
    var modules: [Module]
  }

  var endpoints: [Endpoint] {
    WebClient.examples.map { Self.pages.document($0.name, at: "/sdk/\($0.name)", headers: Self.guards(of: $0.text)) } + [
      Self.files.versioned, Self.files.latest,
      Endpoint("GET", "/v1/sdk", access: .open, action: .answer { _, _ in .json(Self.version) }),
    ]
  }

  private static let pages = PageFiles(WebClient.examples, at: "/sdk/examples")

  /// The permissions of an example: its own script and style, the server's modules, and any server to connect to.
  private static func guards(of page: String) -> [(name: String, value: String)] {
    [
      (
        "Content-Security-Policy",
        [
          "default-src 'none'", "script-src 'self'\(digests(of: "script", in: page))",
          "style-src 'self'\(digests(of: "style", in: page))", "connect-src *", "media-src * blob:", "base-uri 'none'",
          "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
      ),
      // The page's URL contains a token.
      ("Referrer-Policy", "no-referrer"),
      ("Permissions-Policy", "camera=(self), microphone=(self), geolocation=(), payment=(), usb=()"),
    ]
  }

  /// Returns the source expressions that permit what elements of a page contain (CSP 3 §2.3.1).
  private static func digests(of element: String, in page: String) -> String {
    page.split(separator: "<\(element)").dropFirst().compactMap { rest in
      guard let start = rest.firstIndex(of: ">"), let end = rest.firstRange(of: "</\(element)>") else { return nil }
      let text = rest[rest.index(after: start)..<end.lowerBound]
      return text.isEmpty ? nil : " 'sha256-\(Data(Digest.sha256.digest(of: Array(text.utf8))).base64EncodedString())'"
    }.joined()
  }

  private static let version = Version(
    version: files.version,
    modules: WebClient.modules.map(\.name).sorted().compactMap { name in
      files.integrity(of: name).map { Version.Module(path: files.path(of: name), integrity: $0) }
    })
}
