import Foundation
import Testing

/// Runs ffmpeg as an encoder that publishes to the origin in real time, until the object is released.
final class LiveEncoder {
  private let process = Process()

  /// - Parameters:
  ///   - url: the `rtmp://…` URL to publish to.
  ///   - picture: a lavfi source at 15 fps.
  init(_ url: String, picture: String = "testsrc2=s=320x180:r=15", arguments: [String] = []) throws {
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      [
        "ffmpeg", "-nostdin", "-loglevel", "error", "-re", "-f", "lavfi", "-i", picture, "-re", "-f", "lavfi", "-i",
        "sine=440:r=44100", "-t", "120", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "15",
        "-b:v", "300k", "-c:a", "aac", "-b:a", "64k",
      ] + arguments + ["-f", "flv", url]
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
  }

  deinit { end() }

  /// Children inherit the test threads' signal mask, which blocks SIGTERM.
  func end() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }
}

/// ffprobe's report of a live stream, from its current start.
struct LiveProbe {
  var streams: [Recording.Stream]
  /// Decoding times in seconds, by stream type.
  var times: [String: [Double]] = [:]

  var video: Recording.Stream? { streams.first { $0.codec_type == "video" } }
  var audio: Recording.Stream? { streams.first { $0.codec_type == "audio" } }

  /// Returns the seconds between consecutive packets.
  func steps(_ kind: String) -> [Double] {
    let times = times[kind] ?? []
    return zip(times.dropFirst(), times).map(-)
  }

  /// Reads `seconds` seconds of media.
  static func read(_ url: String, seconds: Int) async throws -> LiveProbe {
    struct Answer: Decodable {
      var streams: [Recording.Stream]
      var packets: [Recording.Packet]
    }
    let data = try await output(of: [
      "ffprobe", "-v", "quiet", "-of", "json", "-show_streams", "-show_packets", "-read_intervals", "%+\(seconds)", url,
    ])
    let answer = try JSONDecoder().decode(Answer.self, from: data)
    var probe = LiveProbe(streams: answer.streams)
    for packet in answer.packets { probe.times[packet.codec_type, default: []].append(packet.dts) }
    return probe
  }

  /// Returns a program's output; kills the program if it exceeds the time limit. Reads on a thread of its own, because the
  /// server in this process needs the cooperative thread pool.
  static func output(of arguments: [String], within limit: Duration = .seconds(60)) async throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let pid = process.processIdentifier
    let watchdog = Task {
      try await Task.sleep(for: limit)
      kill(pid, SIGKILL)
    }
    defer { watchdog.cancel() }
    let output = pipe.fileHandleForReading
    return await withCheckedContinuation { continuation in
      let reader = Thread { continuation.resume(returning: (try? output.readToEnd()) ?? Data()) }
      reader.start()
    }
  }
}
