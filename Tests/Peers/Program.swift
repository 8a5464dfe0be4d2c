public import Foundation

/// A program of somebody else's, run by a test and ended with it.
public final class Program {
  private let process = Process()
  private let output = FileManager.default.temporaryDirectory.appending(path: "program-\(UUID().uuidString)")

  /// Where the program lies; nil where it is not installed.
  public static func path(_ name: String) -> URL? {
    ["/usr/bin", "/usr/sbin", "/usr/local/bin"].map { URL(filePath: "\($0)/\(name)") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// One of the package's own programs, which lie beside the tests in the build folder.
  public static func built(_ name: String) -> URL {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name)
  }

  /// Starts a program that is installed.
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

  /// What it wrote so far.
  public var text: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

  /// Ends it. Signals that it could block are no use: it inherits the mask of the thread that began it.
  public func stop() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Asks it to end, as Ctrl-C does, so that it can finish what it writes.
  public func interrupt() { kill(process.processIdentifier, SIGINT) }

  /// Its exit status once it has ended.
  public func finish(within limit: Duration = .seconds(60)) async throws -> Int32 {
    let deadline = ContinuousClock.now + limit
    while process.isRunning {
      guard ContinuousClock.now < deadline else {
        throw ProgramFailure(what: "\(process.executableURL?.lastPathComponent ?? "") did not end within \(limit)")
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    return process.terminationStatus
  }
}

/// A program that is not there, or did not do what it should.
public struct ProgramFailure: Error, CustomStringConvertible {
  public let what: String
  public init(what: String) { self.what = what }
  public var description: String { what }
}
