import Foundation
import RoomTestSupport
import Testing

/// An nginx with its RTMP module, from the package libnginx-mod-rtmp, on a free port of 127.0.0.1.
public final class NginxRTMP {
  private static let module = "/usr/lib/nginx/modules/ngx_rtmp_module.so"

  public let port: UInt16
  private let folder: URL
  private var nginx: Program?

  public static var isInstalled: Bool {
    Program.path("nginx") != nil && FileManager.default.fileExists(atPath: module)
  }

  /// Starts nginx. Its applications are "live", and "guarded", which rejects publishers.
  public init() async throws {
    port = try TCPPort.free()
    folder = FileManager.default.temporaryDirectory.appending(path: "nginx-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let configuration = """
      load_module \(Self.module);
      daemon off;
      master_process off;
      pid \(folder.path)/nginx.pid;
      error_log \(folder.path)/error.log info;
      events { worker_connections 64; }
      rtmp {
        access_log off;
        server {
          listen 127.0.0.1:\(port);
          application live { live on; wait_key on; publish_notify on; }
          application guarded { live on; deny publish all; }
        }
      }
      """
    try configuration.write(to: file, atomically: true, encoding: .utf8)
    try await start()
  }

  private var file: URL { folder.appending(path: "nginx.conf") }

  /// Restarts it after `kill`, on the same port.
  public func start() async throws {
    let nginx = try Program("nginx", ["-p", folder.path, "-c", file.path])
    self.nginx = nginx
    try await eventually("nginx listens") {
      guard nginx.isRunning else { throw ProgramFailure(what: "nginx has ended: \(nginx.text)") }
      return TCPPort.isTaken(port)
    }
  }

  /// Kills it, like a crash.
  public func kill() {
    nginx?.stop()
    nginx = nil
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: folder)
  }

  public func url(_ stream: String = "studio") -> String { "rtmp://127.0.0.1:\(port)/live/\(stream)" }

  /// The contents of its log.
  public var log: String { (try? String(contentsOf: folder.appending(path: "error.log"), encoding: .utf8)) ?? "" }
}
