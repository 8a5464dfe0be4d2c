import Foundation
import Testing

/// A program of somebody else's, run by a test and ended with it.
final class Peer {
  private let process = Process()
  private let output = FileManager.default.temporaryDirectory.appending(path: "peer-\(UUID().uuidString)")

  init(_ arguments: [String]) throws {
    process.executableURL = URL(filePath: "/usr/bin/env")
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
  func finish(within limit: Duration = .seconds(30)) async throws -> Int32 {
    try await eventually("\(process.arguments?.first ?? "") ends", within: limit) { !process.isRunning }
    return process.terminationStatus
  }

  /// ffmpeg that publishes a small test picture with a tone, H.264 and AAC, in real time.
  static func encoder(_ url: String, seconds: Int = 60) throws -> Peer {
    try Peer(
      ["ffmpeg", "-hide_banner", "-loglevel", "warning", "-re", "-f", "lavfi"]
        + ["-i", "testsrc2=size=320x180:rate=15:duration=\(seconds)", "-re", "-f", "lavfi"]
        + ["-i", "sine=frequency=440:sample_rate=44100:duration=\(seconds)"]
        + ["-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-g", "15", "-pix_fmt", "yuv420p"]
        + ["-c:a", "aac", "-b:a", "64k", "-ac", "2", "-f", "flv", url])
  }

  /// What ffprobe reads of a stream, as JSON.
  static func probe(_ url: String, packets: Int = 150) throws -> Peer {
    try Peer(
      ["ffprobe", "-v", "error", "-of", "json", "-show_streams", "-show_packets", "-read_intervals", "%+#\(packets)", url])
  }
}
