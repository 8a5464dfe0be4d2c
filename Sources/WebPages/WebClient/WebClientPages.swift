import RoomHTTPServer
import RoomServer
import RoomWebClient

/// The web client: its modules at `/sdk/{version}/*`, and what a page needs to load them, at `/v1/sdk`.
struct WebClientPages: Sendable {
  /// Modules of other origins are loaded by CORS, also by pages that isolate themselves.
  static let files = PageFiles(
    WebClient.files, at: "/sdk",
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
    [
      Self.files.versioned, Self.files.latest,
      Endpoint("GET", "/v1/sdk", access: .open, action: .answer { _, _ in .json(Self.version) }),
    ]
  }

  private static var version: Version {
    Version(
      version: files.version,
      modules: files.names.compactMap { name in
        files.integrity(of: name).map { Version.Module(path: files.path(of: name), integrity: $0) }
      })
  }
}
