public import Foundation

/// An nginx that serves a folder by HTTP, with ranges, on a free port of 127.0.0.1.
public final class NginxFiles {
  public static var isInstalled: Bool { Nginx.isInstalled }

  public let port: UInt16
  private let nginx: Nginx

  /// The folder, which is deleted with the object.
  public var folder: URL { nginx.folder }

  /// Starts nginx. A request below `/to/` is redirected to the host and the path that follow.
  public init() async throws {
    port = try TCPPort.free()
    nginx = try Nginx(port: port)
    try await nginx.start(
      nginx.http(
        """
        server {
          listen 127.0.0.1:\(port);
          root \(nginx.folder.path);
          location ~ ^/to/(.*)$ { return 302 http://$1; }
        }
        """))
  }

  public func url(_ path: String, host: String = "127.0.0.1") -> String { "http://\(host):\(port)/\(path)" }
}
