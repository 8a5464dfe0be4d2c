import RoomCLinux
import Foundation
import RoomPeers
import Glibc
import RoomTestSupport
import Testing

/// A coturn process on a loopback port, which ends with the object.
final class Coturn: Sendable {
  struct NotFound: Error, CustomStringConvertible {
    var description: String { "no turnserver: deploy/test.sh installs coturn" }
  }

  /// The shared secret of the server, from which clients' credentials derive.
  let secret = UUID().uuidString
  private let port: UInt16
  private let process: Process
  private let folder: URL

  /// Returns the URL for a client over UDP or TCP.
  func url(overTCP: Bool = false) -> String { "turn:127.0.0.1:\(port)?transport=\(overTCP ? "tcp" : "udp")" }

  private init() throws {
    let program = "/usr/bin/turnserver"
    guard FileManager.default.isExecutableFile(atPath: program) else { throw NotFound() }
    port = try Self.freePort()
    folder = FileManager.default.temporaryDirectory.appending(path: "interop-coturn-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = [
      "-n", "--use-auth-secret", "--static-auth-secret", secret, "--realm", "test", "--fingerprint",
      "--listening-ip", "127.0.0.1", "--listening-port", "\(port)", "--relay-ip", "127.0.0.1",
      // Allowed only here, because all peers are on this machine.
      "--allow-loopback-peers", "--cli-password", secret, "--no-cli", "--no-tls", "--no-dtls",
      "--userdb", folder.appending(path: "turndb").path, "--pidfile", folder.appending(path: "pid").path,
      "--log-file", folder.appending(path: "log").path, "--simple-log",
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    process.terminate()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Runs `test` with a coturn that accepts requests.
  static func with(_ test: (Coturn) async throws -> Void) async throws {
    let coturn = try Coturn()
    do {
      try await eventually("coturn listens") {
        guard coturn.process.isRunning else { throw Ended(log: coturn.log) }
        return coturn.listens
      }
      try await test(coturn)
    } catch {
      print("What coturn said:\n\(coturn.log)")
      throw error
    }
    withExtendedLifetime(coturn) {}
  }

  struct Ended: Error { var log: String }

  /// The end of the log.
  var log: String {
    let text = try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)
    return text?.split(separator: "\n").suffix(40).joined(separator: "\n") ?? ""
  }

  private var listens: Bool { TCPPort.isTaken(port) }

  /// Returns a port that is free for both UDP and TCP.
  private static func freePort() throws -> UInt16 {
    for _ in 0..<50 {
      let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
      let stream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer {
        close(datagrams)
        close(stream)
      }
      guard call(bind, datagrams, 0) == 0 else { continue }
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      _ = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(datagrams, $0, &length) }
      }
      let port = UInt16(bigEndian: address.sin_port)
      if call(bind, stream, port) == 0 { return port }
    }
    throw CocoaError(.fileNoSuchFile)
  }

  private static func call(
    _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ descriptor: Int32, _ port: UInt16
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
