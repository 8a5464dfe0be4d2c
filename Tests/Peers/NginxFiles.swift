public import Foundation
import RoomTestSupport
import Testing

/// An nginx that serves a folder by HTTP, with ranges, on free ports of 127.0.0.1.
public final class NginxFiles {
  /// The folder, which is deleted with the object.
  public let folder: URL
  public let port: UInt16
  private let nginx: Program

  public static var isInstalled: Bool { Program.path("nginx") != nil }

  /// Starts nginx. A request below `/to/` is redirected to the host and the path that follow.
  public init() async throws {
    port = try TCPPort.free()
    folder = FileManager.default.temporaryDirectory.appending(path: "nginx-files-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "nginx.conf")
    try """
    daemon off;
    master_process off;
    pid \(folder.path)/nginx.pid;
    error_log \(folder.path)/error.log info;
    events { worker_connections 256; }
    http {
      access_log off;
      client_body_temp_path \(folder.path)/body;
      proxy_temp_path \(folder.path)/proxy;
      fastcgi_temp_path \(folder.path)/fastcgi;
      uwsgi_temp_path \(folder.path)/uwsgi;
      scgi_temp_path \(folder.path)/scgi;
      server {
        listen 127.0.0.1:\(port);
        root \(folder.path);
        location ~ ^/to/(.*)$ { return 302 http://$1; }
      }
    }
    """.write(to: file, atomically: true, encoding: .utf8)
    let nginx = try Program("nginx", ["-p", folder.path, "-c", file.path])
    self.nginx = nginx
    let port = port
    try await eventually("nginx listens") {
      guard nginx.isRunning else { throw ProgramFailure(what: "nginx has ended: \(nginx.text)") }
      return TCPPort.isTaken(port)
    }
  }

  public func url(_ path: String, host: String = "127.0.0.1") -> String { "http://\(host):\(port)/\(path)" }

  deinit {
    nginx.stop()
    try? FileManager.default.removeItem(at: folder)
  }
}
