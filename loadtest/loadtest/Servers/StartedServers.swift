import Foundation

/// Starts servers for `--start`: a new one for each measurement, on free ports, without persistent state.
enum StartedServers {
  private static let key = "loadtest"

  struct Roomserver {
    var process: ServerProcess
    var address: RoomserverAddress
    /// The port of HTTP; the next property is that of RTMP.
    var port: UInt16
    var rtmpPort: UInt16
    /// The variables by which another process signs tokens for it.
    var environment: [String: String]

    /// The server and its metrics.
    var measured: MeasuredServer<RoomserverAddress> {
      MeasuredServer(target: address, pid: process.pid, metrics: address.metrics, process: process)
    }
  }

  /// Starts `roomserver serve` with its defaults, but without limits per address.
  static func roomserver(program: String, arguments: [String], address: String) async throws -> Roomserver {
    let port = FreePort.find()
    let rtmpPort = FreePort.find()
    let secret = UUID().uuidString + UUID().uuidString
    let environment = [ConnectionOptions.keyVariable: key, ConnectionOptions.secretVariable: secret]
    let process = try ServerProcess(
      program,
      [
        "serve", "--bind", address, "--port", "\(port)", "--media-port", "0", "--auto-create", "--joins-per-second", "1000",
        "--http-per-address", "0", "--rtmp-per-address", "0",
        "--data", "none", "--rtmp-port", "\(rtmpPort)", "--log-level", "warning",
      ] + arguments,
      environment: environment,
      folder: ServerProcess.folder("roomserver"))
    do {
      try await process.listens(host: address, port: port)
      try await process.listens(host: address, port: rtmpPort)
      let own = try RoomserverAddress("ws://\(address):\(port)/v1/signal", await TokenMint(key: key, secret: secret))
      return Roomserver(process: process, address: own, port: port, rtmpPort: rtmpPort, environment: environment)
    } catch {
      await process.stop()
      throw error
    }
  }

  /// Starts this program's own `floor`.
  static func floor(address: String) async throws -> MeasuredServer<URL> {
    let port = FreePort.find()
    let process = try ServerProcess(
      "/proc/self/exe", ["floor", "--address", address, "--port", "\(port)"], folder: ServerProcess.folder("floor"))
    do { try await process.listens(host: address, port: port) } catch {
      await process.stop()
      throw error
    }
    guard let base = URL(string: "http://\(address):\(port)") else { throw LoadtestError.system("not an address: \(address)") }
    return MeasuredServer(target: base, pid: process.pid, process: process)
  }

  /// Starts Debian's Janus with its defaults, but only with the plugins and transports that are used.
  /// - Returns: the server with the URL of its WebSocket API.
  static func janus(program: String, address: String, plugin: String) async throws -> MeasuredServer<String> {
    let port = FreePort.find()
    let folder = try ServerProcess.folder("janus")
    for (name, text) in janusConfiguration(folder: folder.path, port: port, address: address, plugin: plugin) {
      try text.write(to: folder.appending(path: name), atomically: false, encoding: .utf8)
    }
    let process = try ServerProcess(
      program, ["-F", folder.path, "-C", folder.appending(path: "janus.jcfg").path], folder: folder)
    do { try await process.listens(host: address, port: port) } catch {
      await process.stop()
      throw error
    }
    return MeasuredServer(target: "ws://\(address):\(port)/", pid: process.pid, process: process)
  }

  private static func janusConfiguration(
    folder: String, port: UInt16, address: String, plugin: String
  ) -> [String: String] {
    let plugins = [
      "audiobridge", "duktape", "echotest", "lua", "nosip", "recordplay", "sip", "streaming", "textroom", "videocall",
      "videoroom", "voicemail",
    ].filter { $0 != plugin }
    let transports = ["http", "mqtt", "nanomsg", "pfunix", "rabbitmq"]
    func files(_ names: [String]) -> String { names.map { "libjanus_\($0).so" }.joined(separator: ",") }
    return [
      "janus.jcfg": """
      general: {
        configs_folder = "\(folder)"
        debug_level = 3
        debug_colors = false
        log_to_stdout = true
      }
      nat: { ice_enforce_list = "\(address)" }
      plugins: { disable = "\(files(plugins))" }
      transports: { disable = "\(files(transports))" }
      """,
      "janus.transport.websockets.jcfg": """
      general: {
        ws = true
        ws_ip = "\(address)"
        ws_port = \(port)
      }
      """,
      "janus.plugin.\(plugin).jcfg": "general: { }\n",
    ]
  }
}
