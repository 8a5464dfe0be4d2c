import Foundation
import Testing

/// A program of somebody else's, run by a test and ended with it.
final class Program {
  private let process = Process()
  private let output = FileManager.default.temporaryDirectory.appending(path: "rtmp-\(UUID().uuidString)")

  /// Where the program lies; nil where it is not installed.
  static func path(_ name: String) -> URL? {
    ["/usr/bin", "/usr/sbin", "/usr/local/bin"].map { URL(filePath: "\($0)/\(name)") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  init(_ name: String, _ arguments: [String]) throws {
    let path: URL = try #require(Self.path(name))
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

  var isRunning: Bool { process.isRunning }

  /// What it wrote so far.
  var text: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

  /// Ends it. Signals that it could block are no use: it inherits the mask of the thread that began it.
  func stop() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Its exit status once it has ended.
  func finish(within limit: Duration = .seconds(60)) async throws -> Int32 {
    try await eventually("\(process.executableURL?.lastPathComponent ?? "") ends", within: limit) { !process.isRunning }
    return process.terminationStatus
  }
}

/// Waits until `condition` holds, and fails the test where it does not within `limit`.
func eventually(
  _ what: String, within limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + limit
  while try await !condition() {
    guard ContinuousClock.now < deadline else {
      Issue.record("not within \(limit): \(what)", sourceLocation: sourceLocation)
      throw DidNotHappen(what: what)
    }
    try await Task.sleep(for: .milliseconds(50))
  }
}

struct DidNotHappen: Error, CustomStringConvertible {
  let what: String
  var description: String { "did not happen: \(what)" }
}

extension Trait where Self == ConditionTrait {
  /// Runs only where the programs are installed.
  static func needs(_ programs: String...) -> Self {
    .enabled(if: programs.allSatisfy { Program.path($0) != nil }, "not installed: one of \(programs.joined(separator: ", "))")
  }
}

/// ffmpeg's arguments for a small test picture with a tone, H.264 without B-frames and AAC, in real time.
func testSource(seconds: Int, realTime: Bool = true, _ output: [String]) -> [String] {
  ["-hide_banner", "-loglevel", "warning", "-y"] + (realTime ? ["-re"] : [])
    + ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=15:duration=\(seconds)"] + (realTime ? ["-re"] : [])
    + ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=44100:duration=\(seconds)"]
    + ["-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-g", "15", "-pix_fmt", "yuv420p"]
    + ["-c:a", "aac", "-b:a", "64k", "-ac", "2"] + output
}
