import Foundation
import RoomPeers
import Testing

extension Trait where Self == ConditionTrait {
  /// Runs the test only if nginx-rtmp is installed.
  static var needsNginxRTMP: Self { .enabled(if: NginxRTMP.isInstalled, "not installed: libnginx-mod-rtmp") }

  /// Runs the test only if the programs are installed.
  static func needs(_ programs: String...) -> Self {
    .enabled(if: programs.allSatisfy { Program.path($0) != nil }, "not installed: one of \(programs.joined(separator: ", "))")
  }
}

/// Returns ffmpeg's arguments for a small test picture with a tone: H.264 without B-frames and AAC, in real time.
func testSource(seconds: Int, realTime: Bool = true, _ output: [String]) -> [String] {
  ["-hide_banner", "-loglevel", "warning", "-y"] + (realTime ? ["-re"] : [])
    + ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=15:duration=\(seconds)"] + (realTime ? ["-re"] : [])
    + ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=44100:duration=\(seconds)"]
    + ["-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-g", "15", "-pix_fmt", "yuv420p"]
    + ["-c:a", "aac", "-b:a", "64k", "-ac", "2"] + output
}
