import Foundation

/// Encodes clips with ffmpeg and caches them in the temporary directory, so that a run does not start with seconds of encoding.
enum ClipEncoder {
  /// Returns the clip with these settings.
  static func clip(_ settings: LiveClip.Settings) throws(LoadtestError) -> LiveClip {
    let name = "loadtest-\(getuid())-\(settings.width)x\(settings.height)-\(settings.kbps)-\(settings.seconds).flv"
    let file = FileManager.default.temporaryDirectory.appending(path: name)
    if let bytes = try? Data(contentsOf: file), let clip = try? LiveClip(flv: Array(bytes), settings) { return clip }
    let fresh = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).flv")
    try encode(settings, into: fresh)
    // Other processes may encode the same clip concurrently; either result is valid.
    guard rename(fresh.path, file.path) == 0, let bytes = try? Data(contentsOf: file) else {
      throw .system("\(file.path) can't be written")
    }
    return try LiveClip(flv: Array(bytes), settings)
  }

  private static func encode(_ settings: LiveClip.Settings, into file: URL) throws(LoadtestError) {
    let rate = "\(settings.kbps)k"
    let keyFrames = "\(2 * LiveClip.framesPerSecond)"
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    // Noise, because a plain test pattern does not use up the bitrate.
    process.arguments = [
      "ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i",
      "testsrc2=size=\(settings.width)x\(settings.height):rate=\(LiveClip.framesPerSecond),noise=alls=12:allf=t",
      "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=\(LiveClip.sampleRate)", "-t", "\(settings.seconds + 1)",
      "-c:v", "libx264", "-preset", "veryfast", "-tune", "zerolatency", "-pix_fmt", "yuv420p", "-g", keyFrames,
      "-keyint_min", keyFrames, "-sc_threshold", "0", "-b:v", rate, "-maxrate", rate, "-bufsize", rate,
      "-c:a", "aac", "-b:a", "128k", "-ac", "2", "-ar", "\(LiveClip.sampleRate)", "-f", "flv", "-y", file.path,
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    do { try process.run() } catch { throw .system("ffmpeg does not start: \(error)") }
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      try? FileManager.default.removeItem(at: file)
      throw .system("ffmpeg could not encode the clip: is it installed, with libx264?")
    }
  }
}
