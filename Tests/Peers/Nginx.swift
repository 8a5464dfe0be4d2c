public import Foundation
import RoomTestSupport
import Testing

/// An nginx of one process, with a folder of its own that is deleted with the object.
public final class Nginx {
  public static var isInstalled: Bool { Program.path("nginx") != nil }

  public let folder: URL
  private let port: UInt16
  private var program: Program?

  /// Makes the folder. ``start(_:loading:)`` starts nginx.
  /// - Parameter port: a port of 127.0.0.1 on which the configuration listens.
  public init(port: UInt16) throws {
    self.port = port
    folder = FileManager.default.temporaryDirectory.appending(path: "nginx-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Writes the configuration and starts nginx.
  /// - Parameters:
  ///   - blocks: what the configuration has besides the parts that all have.
  ///   - module: the path of a module to load.
  public func start(_ blocks: String, loading module: String? = nil) async throws {
    try """
    \(module.map { "load_module \($0);" } ?? "")
    daemon off;
    master_process off;
    pid \(folder.path)/nginx.pid;
    error_log \(folder.path)/error.log info;
    events { worker_connections 256; }
    \(blocks)
    """.write(to: file, atomically: true, encoding: .utf8)
    try await restart()
  }

  /// Returns a block of HTTP servers, without files outside the folder.
  public func http(_ servers: String) -> String {
    """
    http {
      access_log off;
      client_body_temp_path \(folder.path)/body;
      proxy_temp_path \(folder.path)/proxy;
      fastcgi_temp_path \(folder.path)/fastcgi;
      uwsgi_temp_path \(folder.path)/uwsgi;
      scgi_temp_path \(folder.path)/scgi;
      \(servers)
    }
    """
  }

  private var file: URL { folder.appending(path: "nginx.conf") }

  /// Starts nginx again after ``kill()``, on the same port.
  public func restart() async throws {
    let program = try Program("nginx", ["-p", folder.path, "-c", file.path])
    self.program = program
    try await eventually("nginx listens") {
      guard program.isRunning else { throw ProgramFailure(what: "nginx has ended: \(program.text)") }
      return TCPPort.isTaken(port)
    }
  }

  /// Kills nginx, like a crash.
  public func kill() {
    program?.stop()
    program = nil
  }

  /// The contents of the log.
  public var log: String { (try? String(contentsOf: folder.appending(path: "error.log"), encoding: .utf8)) ?? "" }
}
