import Foundation

extension StartedServers {
  /// Debian's nginx with its RTMP module and one worker, in one process whose CPU can be read. All settings are defaults,
  /// except that it starts with a key frame, which players need.
  /// - Returns: the server with its RTMP port.
  static func nginx(program: String, module: String, address: String, connections: Int) async throws -> MeasuredServer<UInt16> {
    let port = FreePort.find()
    let folder = try ServerProcess.folder("nginx")
    let file = folder.appending(path: "nginx.conf")
    try """
    load_module \(module);
    daemon off;
    master_process off;
    pid \(folder.path)/pid;
    error_log stderr warn;
    events { worker_connections \(connections + 64); }
    rtmp {
      access_log off;
      server {
        listen \(address):\(port);
        application live { live on; wait_key on; }
      }
    }
    """.write(to: file, atomically: false, encoding: .utf8)
    let process = try ServerProcess(program, ["-p", folder.path, "-c", file.path, "-e", "stderr"], folder: folder)
    do { try await process.listens(host: address, port: port) } catch {
      await process.stop()
      throw error
    }
    return MeasuredServer(target: port, pid: process.pid, process: process)
  }
}
