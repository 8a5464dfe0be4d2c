import Foundation
import RoomTestSupport
import Testing

/// Runs ffmpeg as an encoder that publishes a test picture of 320x180 at 15 fps and a 440 Hz tone until it is stopped.
final class Encoder {
  private let process = Process()
  private let keys = Pipe()
  private let log = FileManager.default.temporaryDirectory.appending(path: "encoder-\(UUID().uuidString).log")

  /// - Parameters:
  ///   - url: of RTMP, or of SRT or UDP, which get a transport stream.
  ///   - video: ffmpeg's options for the video.
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
      + ["-b:v", "300k", "-c:a", "aac", "-b:a", "96k", "-ac", "2", "-f", url.hasPrefix("rtmp") ? "flv" : "mpegts", url]
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

  /// The error output so far.
  var errors: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }
  var isRunning: Bool { process.isRunning }

  /// Stops ffmpeg by a key, as a user does. Signals would not work: ffmpeg inherits a signal mask that blocks them.
  func stop() async throws {
    if process.isRunning { try keys.fileHandleForWriting.write(contentsOf: Data("q".utf8)) }
    try await eventually("the encoder has ended", within: .seconds(10)) { !process.isRunning }
  }

  /// Kills it without closing the connection properly.
  func kill() {
    if process.isRunning { _ = Foundation.kill(process.processIdentifier, SIGKILL) }
  }

  /// Waits until ffmpeg has given up and returns its error output.
  func refusal() async throws -> String {
    try await eventually("the encoder gives up") { !process.isRunning }
    return errors
  }
}
