import Foundation
import RTMP
import Testing

/// An nginx with its RTMP module, of the package libnginx-mod-rtmp, on a port of its own.
final class NginxRTMP {
  private static let module = "/usr/lib/nginx/modules/ngx_rtmp_module.so"

  let port: UInt16
  private let folder: URL
  private let nginx: Program

  static var isInstalled: Bool {
    Program.path("nginx") != nil && FileManager.default.fileExists(atPath: module)
  }

  init() async throws {
    port = try LoopbackSocket.freePort()
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
    let file = folder.appending(path: "nginx.conf")
    try configuration.write(to: file, atomically: true, encoding: .utf8)
    nginx = try Program("nginx", ["-p", folder.path, "-c", file.path])
    let port = port
    try await eventually("nginx listens") { (try? LoopbackSocket.connected(port: port)) != nil }
  }

  deinit {
    nginx.stop()
    try? FileManager.default.removeItem(at: folder)
  }

  func url(_ stream: String = "studio") -> String { "rtmp://127.0.0.1:\(port)/live/\(stream)" }

  /// What it logged.
  var log: String { (try? String(contentsOf: folder.appending(path: "error.log"), encoding: .utf8)) ?? "" }
}

extension Trait where Self == ConditionTrait {
  /// Runs only where nginx-rtmp is installed.
  static var needsNginxRTMP: Self { .enabled(if: NginxRTMP.isInstalled, "not installed: libnginx-mod-rtmp") }
}
