public import Foundation
import RoomTestSupport
import Testing

/// A third-party program that a test runs and that ends with it.
public final class Program {
  private let process = Process()
  private let output = FileManager.default.temporaryDirectory.appending(path: "program-\(UUID().uuidString)")

  /// Returns the path of an installed program, or nil if it is not installed.
  public static func path(_ name: String) -> URL? {
    ["/usr/bin", "/usr/sbin", "/usr/local/bin"].map { URL(filePath: "\($0)/\(name)") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Returns the path of one of the package's own executables, next to the tests in the build folder.
  public static func built(_ name: String) -> URL {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name)
  }

  /// Starts an installed program.
  public convenience init(_ name: String, _ arguments: [String]) throws {
    guard let path = Self.path(name) else { throw ProgramFailure(what: "\(name) is not installed") }
    try self.init(path, arguments)
  }

  /// Starts the program at a path.
  public init(_ path: URL, _ arguments: [String]) throws {
    process.executableURL = path
    process.arguments = arguments
    try Data().write(to: output)
    let handle = try FileHandle(forWritingTo: output)
    process.standardOutput = handle
    process.standardError = handle
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(at: output)
  }

  public var isRunning: Bool { process.isRunning }

  /// The output so far.
  public var text: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

  /// Kills the program. Other signals would not work: it inherits a signal mask that may block them.
  public func stop() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Sends SIGINT, like Ctrl-C, so that the program can finish its output.
  public func interrupt() { kill(process.processIdentifier, SIGINT) }

  /// Sends a signal that the program can't block: SIGSTOP, SIGCONT or SIGKILL.
  public func signal(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Returns the exit status once the program has exited.
  public func finish(within limit: Duration = .seconds(60)) async throws -> Int32 {
    try await eventually("\(process.executableURL?.lastPathComponent ?? "") ends", within: limit) { !process.isRunning }
    return process.terminationStatus
  }
}

/// A program is missing or failed.
public struct ProgramFailure: Error, CustomStringConvertible {
  public let what: String
  public init(what: String) { self.what = what }
  public var description: String { what }
}
