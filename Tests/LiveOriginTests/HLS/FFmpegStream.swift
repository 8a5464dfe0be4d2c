import Foundation
import RoomRTMP
import RoomRTP
import Testing

@testable import RoomLiveOrigin

/// Streams encoded by FFmpeg.
enum FFmpegStream {
  /// Returns H.264 of 320x180 at 15 frames per second and sound, by default AAC, as published by ffmpeg.
  static func make(seconds: Int, _ arguments: [String], sound: [String] = ["-c:a", "aac"]) throws -> [LiveMedia] {
    let bytes = [UInt8](
      try run(
        [
          "ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=15", "-f", "lavfi", "-i",
          "sine=440:r=44100", "-t", "\(seconds)", "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p",
        ] + arguments + sound + ["-f", "flv", "-"]
      ).output)
    var all: [LiveMedia] = []
    var demuxer = FLVDemuxer()
    try bytes.withUnsafeBytes { memory in
      var view = memory
      while let message = try demuxer.read(&view) {
        let isKey = message.kind == .video && message.payload.withUnsafeBytes { VideoTag(parsing: $0)?.isKeyFrame == true }
        all.append(LiveMedia(message, time: MediaTime(milliseconds: Int64(message.timestamp)), isKeyFrame: isKey))
      }
    }
    return all
  }

  static func run(_ arguments: [String]) throws -> (output: Data, errors: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    let output = Pipe()
    let errors = FileManager.default.temporaryDirectory.appending(path: "hls-\(UUID().uuidString).log")
    _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
    defer { try? FileManager.default.removeItem(at: errors) }
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (data, try String(contentsOf: errors, encoding: .utf8))
  }
}
