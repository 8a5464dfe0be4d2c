import Foundation
import RoomRTMP
import RoomRTP
import Testing

/// The messages of an FLV stream that ffmpeg made, as it would publish them.
enum EncodedStream {
  /// - Parameter arguments: the arguments between ffmpeg's test sources and the output.
  static func messages(_ arguments: [String], inputs: [String]) throws -> [MediaMessage] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["ffmpeg", "-nostdin", "-loglevel", "error"] + inputs + arguments + ["-f", "flv", "-"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let file = [UInt8](try output.fileHandleForReading.readToEnd() ?? Data())
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "ffmpeg made no stream")
    var demuxer = FLVDemuxer()
    var messages: [MediaMessage] = []
    try file.withUnsafeBytes { bytes in
      var rest = bytes
      while let message = try demuxer.read(&rest) { messages.append(message) }
    }
    return messages
  }

  static func video(_ arguments: String..., format: String = "yuv420p") throws -> [MediaMessage] {
    try messages(
      ["-c:v", "libx264", "-preset", "veryfast", "-g", "10", "-pix_fmt", format] + arguments,
      inputs: ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=15:duration=2"]
    ).filter { $0.kind == .video }
  }
}

func at(milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }
