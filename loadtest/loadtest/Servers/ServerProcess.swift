import Foundation
import Glibc
import Synchronization

/// A server that is started for one measurement and stopped after it.
final class ServerProcess: Sendable {
  let pid: Int32
  private let process: Mutex<Process>
  private let folder: URL?

  /// Starts an executable.
  /// - Parameters:
  ///   - folder: removed when the server has stopped.
  ///   - log: receives the output; its last lines are part of the error if the server does not start.
  init(_ program: String, _ arguments: [String], environment: [String: String] = [:], folder: URL) throws {
    let log = folder.appending(path: "log")
    guard FileManager.default.createFile(atPath: log.path, contents: nil) else {
      throw LoadtestError.system("\(log.path) can't be written")
    }
    let output = try FileHandle(forWritingTo: log)
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    do { try process.run() } catch { throw LoadtestError.server("\(program) does not start: \(error)") }
    pid = process.processIdentifier
    self.process = Mutex(process)
    self.folder = folder
  }

  /// Returns once the port accepts connections.
  /// - Throws: ``LoadtestError`` if the process exits before that, or after 15 s.
  func listens(host: String, port: UInt16) async throws {
    let patience = ContinuousClock.now + .seconds(15)
    while !FreePort.isOpen(host: host, port: port) {
      guard process.withLock({ $0.isRunning }), ContinuousClock.now < patience else {
        let log = folder.flatMap { ProcFile.text($0.appending(path: "log").path) } ?? ""
        throw LoadtestError.server("the server did not start: …\(log.suffix(1000))")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Terminates the process, and kills it after 5 s.
  func stop() async {
    kill(pid, SIGTERM)
    let patience = ContinuousClock.now + .seconds(5)
    while process.withLock({ $0.isRunning }), ContinuousClock.now < patience { try? await Task.sleep(for: .milliseconds(20)) }
    if process.withLock({ $0.isRunning }) { kill(pid, SIGKILL) }
    process.withLock { $0.waitUntilExit() }
    if let folder { try? FileManager.default.removeItem(at: folder) }
  }

  /// Creates an empty folder.
  static func folder(_ name: String) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "loadtest-\(name)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}

/// TCP ports for servers that can't report a port that the kernel assigned.
enum FreePort {
  /// Returns a port that is currently free, or 0 if the kernel provides none.
  static func find() -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = address("127.0.0.1", 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        guard bind(descriptor, $0, length) == 0, getsockname(descriptor, $0, &length) == 0 else { return 0 }
        return $0.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
      }
    }
  }

  /// Returns whether the port accepts connections.
  static func isOpen(host: String, port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = address(host, port)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// Returns the socket address of a numeric IPv4 address; any other host becomes 0.0.0.0.
  static func address(_ host: String, _ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    return address
  }
}

/// The address by which other machines reach this one.
enum OwnAddress {
  /// Returns the first non-loopback IPv4 address as text; Janus does not accept loopback. Packets to it stay in the kernel.
  static func find() -> String? {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return nil }
    defer { freeifaddrs(list) }
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      guard let address = entry.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET),
        entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0, entry.ifa_flags & UInt32(IFF_UP) != 0
      else { continue }
      var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
      address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        _ = inet_ntop(AF_INET, &$0.pointee.sin_addr, &text, socklen_t(text.count))
      }
      return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    return nil
  }
}
