import Foundation

/// Encodes the sources' clips with ffmpeg.
enum MixClipEncoder {
  /// Returns `count` different clips, with their files in `folder`.
  static func clips(_ count: Int, _ settings: MixClip.Settings, in folder: URL) async throws -> [MixClip] {
    var clips: [MixClip] = []
    for number in 0..<count { clips.append(try await clip(number, settings, in: folder)) }
    return clips
  }

  private static func clip(_ number: Int, _ settings: MixClip.Settings, in folder: URL) async throws -> MixClip {
    func file(_ suffix: String) -> URL { folder.appending(path: "source-\(number).\(suffix)") }
    let rate = "\(settings.kbps)k"
    let keyFrames = "\(2 * settings.fps)"
    // Noise, because a plain test pattern does not use up the bitrate. One extra second, because Opus delays part of its
    // output.
    let arguments =
      [
        "-f", "lavfi", "-i",
        "testsrc2=size=\(settings.width)x\(settings.height):rate=\(settings.fps),hue=h=\(number * 70),noise=alls=12:allf=t",
        "-f", "lavfi", "-i", "sine=frequency=\(330 + 110 * number):sample_rate=48000",
        "-t", "\(settings.seconds + 1)", "-c:v", "libx264", "-preset", "veryfast", "-tune", "zerolatency", "-profile:v",
        "baseline", "-pix_fmt", "yuv420p",
        "-aud", "1", "-g", keyFrames, "-keyint_min", keyFrames, "-sc_threshold", "0", "-b:v", rate, "-maxrate", rate,
        "-bufsize", rate, "-c:a", "libopus", "-b:a", "48k", "-ac", "1", "-frame_duration", "20", "-y", file("long.mkv").path,
      ]
    try await FFmpeg.run(arguments)
    try await FFmpeg.run(
      [
        "-i", file("long.mkv").path, "-map", "0:v", "-c", "copy", "-bsf:v", "h264_mp4toannexb", "-f", "h264", "-y",
        file("h264").path, "-map", "0:a", "-c", "copy", "-f", "ogg", "-y", file("ogg").path, "-map", "0", "-c", "copy", "-t",
        "\(settings.seconds)", "-y", file("mkv").path,
      ])
    guard let stream = try? Data(contentsOf: file("h264")), let ogg = try? Data(contentsOf: file("ogg")) else {
      throw LoadtestError.system("\(folder.path): the clips can't be read")
    }
    return try MixClip(settings, stream: Array(stream), ogg: Array(ogg), file: file("mkv"))
  }
}
