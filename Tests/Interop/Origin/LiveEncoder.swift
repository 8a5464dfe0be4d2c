import Foundation
import Testing

/// ffmpeg as an encoder that publishes to our origin in real time, for as long as it is held.
final class LiveEncoder {
  private let process = Process()

  /// - Parameters:
  ///   - url: where to: `rtmp://…`.
  ///   - picture: a source of lavfi with 15 pictures a second.
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

  /// Children of the tests' threads are born with SIGTERM blocked.
  func end() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }
}

/// What ffprobe reads of a live stream, from where it begins.
struct LiveProbe {
  var streams: [Recording.Stream]
  /// Decoding times in seconds by the kind of stream.
  var times: [String: [Double]] = [:]

  var video: Recording.Stream? { streams.first { $0.codec_type == "video" } }
  var audio: Recording.Stream? { streams.first { $0.codec_type == "audio" } }

  /// Seconds from one packet to the next.
  func steps(_ kind: String) -> [Double] {
    let times = times[kind] ?? []
    return zip(times.dropFirst(), times).map(-)
  }

  /// Reads so many seconds of media.
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

  /// What a program writes, which is ended where it takes too long. Read on a thread of its own, for the server in this process
  /// needs those of Swift's tasks.
  private static func output(of arguments: [String], within limit: Duration = .seconds(40)) async throws -> Data {
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
