import Foundation
import RoomTestSupport
import Testing

/// A third-party program that a test runs and that ends with it.
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

  /// The output so far.
  var text: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

  /// Kills the program. Other signals would not work: it inherits a signal mask that may block them.
  func stop() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Returns the exit status once the program has exited.
  func finish(within limit: Duration = .seconds(60)) async throws -> Int32 {
    try await eventually("\(process.arguments?.first ?? "") ends", within: limit) { !process.isRunning }
    return process.terminationStatus
  }

  /// Starts ffmpeg, publishing a small test picture with a tone, H.264 and AAC, in real time.
  static func encoder(_ url: String, seconds: Int = 60) throws -> Peer {
    try Peer(
      ["ffmpeg", "-hide_banner", "-loglevel", "warning", "-re", "-f", "lavfi"]
        + ["-i", "testsrc2=size=320x180:rate=15:duration=\(seconds)", "-re", "-f", "lavfi"]
        + ["-i", "sine=frequency=440:sample_rate=44100:duration=\(seconds)"]
        + ["-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-g", "15", "-pix_fmt", "yuv420p"]
        + ["-c:a", "aac", "-b:a", "64k", "-ac", "2", "-f", "flv", url])
  }

  /// Starts ffprobe, which prints a stream's properties as JSON.
  static func probe(_ url: String, packets: Int = 150) throws -> Peer {
    try Peer(
      ["ffprobe", "-v", "error", "-of", "json", "-show_streams", "-show_packets", "-read_intervals", "%+#\(packets)", url])
  }
}
