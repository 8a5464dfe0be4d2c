import Foundation
import RoomPeers
import RoomTestSupport
import Testing

/// Films in which a white picture and a tone of 1 kHz begin together each two seconds. The background is dark in the first half, and
/// brighter in the second.
enum Film {
  static let period = 2.0

  /// Makes a film.
  /// - Parameters:
  ///   - video: ffmpeg's options of the video encoder.
  ///   - sound: ffmpeg's options of the sound encoder.
  static func make(_ file: URL, seconds: Int, video: [String], sound: [String] = ["-c:a", "aac"]) async throws {
    let picture =
      "color=c=0x202020:s=320x180:r=25:d=\(seconds),drawbox=c=0x808080:t=fill:enable='gte(t,\(seconds / 2))',"
      + "drawbox=c=white:t=fill:enable='lt(mod(t,2),0.2)',format=yuv420p"
    let tone = "aevalsrc='0.5*sin(2*PI*1000*t)*lt(mod(t,2),0.2)':s=48000:d=\(seconds)"
    let program = try Program(
      "ffmpeg",
      ["-v", "error", "-y", "-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", tone] + video + sound
        + ["-movflags", "+faststart", file.path])
    try await eventually("the film is made", within: .seconds(120)) { !program.isRunning }
    guard FileManager.default.fileExists(atPath: file.path), program.text.isEmpty else {
      throw ProgramFailure(what: "ffmpeg: \(program.text)")
    }
  }

  /// H.264 that passes into a room unchanged: no B-frames, and a key frame each second.
  static let passing = [
    "-c:v", "libx264", "-preset", "ultrafast", "-bf", "0", "-g", "25", "-profile:v", "baseline",
  ]
}
