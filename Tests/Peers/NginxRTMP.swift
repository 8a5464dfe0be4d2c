import Foundation

/// An nginx with its RTMP module, from the package libnginx-mod-rtmp, on a free port of 127.0.0.1.
public final class NginxRTMP {
  private static let module = "/usr/lib/nginx/modules/ngx_rtmp_module.so"

  public let port: UInt16
  private let nginx: Nginx

  public static var isInstalled: Bool { Nginx.isInstalled && FileManager.default.fileExists(atPath: module) }

  /// Starts nginx. Its applications are "live", and "guarded", which rejects publishers.
  public init() async throws {
    port = try TCPPort.free()
    nginx = try Nginx(port: port)
    try await nginx.start(
      """
      rtmp {
        access_log off;
        server {
          listen 127.0.0.1:\(port);
          application live { live on; wait_key on; publish_notify on; }
          application guarded { live on; deny publish all; }
        }
      }
      """, loading: Self.module)
  }

  /// Restarts it after `kill`, on the same port.
  public func start() async throws { try await nginx.restart() }

  /// Kills it, like a crash.
  public func kill() { nginx.kill() }

  public func url(_ stream: String = "studio") -> String { "rtmp://127.0.0.1:\(port)/live/\(stream)" }

  /// The contents of its log.
  public var log: String { nginx.log }
}
