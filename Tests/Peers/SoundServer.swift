import Foundation
import RoomTestSupport
import Testing

/// A private PulseAudio daemon with null sinks, in a directory of its own and without a system bus.
public final class SoundServer: Sendable {
  /// The address for `server:` and for `PULSE_SERVER`.
  public let address: String
  private let process = Process()
  private let directory: URL

  public init(sinks: [String]) async throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "pulse-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let socket = directory.appending(path: "native").path
    address = "unix:\(socket)"
    process.executableURL = URL(filePath: "/usr/bin/pulseaudio")
    process.arguments = [
      "-n", "--daemonize=no", "--system=no", "--use-pid-file=no", "--exit-idle-time=-1", "--realtime=no", "--high-priority=no",
      "--disable-shm=yes",
    ]
    // Without rewinds a sink buffers 50 ms, as a sound card does, instead of 2 s, with which a browser synchronises pictures.
    for sink in sinks { process.arguments?.append("--load=module-null-sink sink_name=\(sink) rate=48000 norewinds=1") }
    process.arguments?.append("--load=module-native-protocol-unix socket=\(socket) auth-anonymous=1")
    var environment = ProcessInfo.processInfo.environment
    for name in ["HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "PULSE_RUNTIME_PATH", "PULSE_STATE_PATH"] {
      environment[name] = directory.path
    }
    environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=/nowhere"
    process.environment = environment
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    // The socket appears after the sinks, in the order of the modules.
    try await eventually("the sound server listens", within: .seconds(30)) { FileManager.default.fileExists(atPath: socket) }
  }

  /// Carries out a command of `pactl`. Returns what it printed.
  public func control(_ command: String) throws -> String {
    let pipe = try #require(
      popen("HOME='\(directory.path)' XDG_RUNTIME_DIR='\(directory.path)' pactl --server='\(address)' \(command)", "r"))
    var text = ""
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, pipe) != nil {
      text += String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    #expect(pclose(pipe) == 0)
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Kills the daemon. Other signals may be blocked, in the mask that the daemon inherits.
  public func stop() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(at: directory)
  }
}
