import Foundation
import Testing

/// ffmpeg as an encoder that publishes a test picture of 320x180 at 15 frames a second, and a tone of 440 Hz, until it is stopped.
final class Encoder {
  private let process = Process()
  private let keys = Pipe()
  private let log = FileManager.default.temporaryDirectory.appending(path: "encoder-\(UUID().uuidString).log")

  /// - Parameter video: ffmpeg's options for the picture.
  init(
    to url: String, video: [String] = ["-profile:v", "main", "-tune", "zerolatency", "-bf", "0", "-g", "15"]
  ) throws {
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["ffmpeg", "-loglevel", "error", "-re", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=15"]
      + [
        "-re", "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=44100", "-c:v", "libx264", "-preset", "ultrafast",
        "-pix_fmt", "yuv420p",
      ] + video
      + ["-b:v", "300k", "-c:a", "aac", "-b:a", "96k", "-ac", "2", "-f", "flv", url]
    try Data().write(to: log)
    process.standardError = try FileHandle(forWritingTo: log)
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = keys
    try process.run()
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: log)
  }

  /// What it complained of so far.
  var complaints: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }
  var isRunning: Bool { process.isRunning }

  /// Ends it as its user would, by a key: signals that the thread that began it blocks are no use.
  func stop() async throws {
    if process.isRunning { try keys.fileHandleForWriting.write(contentsOf: Data("q".utf8)) }
    try await eventually("the encoder has ended", within: .seconds(10)) { !process.isRunning }
  }

  /// Ends it without a word to the server.
  func kill() {
    if process.isRunning { _ = Foundation.kill(process.processIdentifier, SIGKILL) }
  }

  /// Waits until it has given up, and gives what it says why.
  func refusal() async throws -> String {
    try await eventually("the encoder gives up", within: .seconds(20)) { !process.isRunning }
    return complaints
  }
}
