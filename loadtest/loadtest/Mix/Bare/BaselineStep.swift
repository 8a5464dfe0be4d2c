/// The work that ffmpeg does with the sources, with one thread each: all of a program's work, or parts of it.
enum BaselineStep: String, Sendable, CaseIterable {
  /// Decodes the video and discards it.
  case decode
  /// Also scales the pictures and arranges them on the canvas.
  case compose
  /// Also encodes the composed video.
  case encode
  /// Mixes and encodes the audio.
  case sound
  /// Video and audio.
  case whole
  /// The same as `whole`, but with `overlay` filters, which accept frames in any order and cost more, instead of `xstack` and
  /// `pad`.
  case overlay

  /// Returns ffmpeg's arguments.
  /// - Parameters:
  ///   - files: the sources' files.
  ///   - seconds: duration of the media.
  ///   - inRealTime: whether to read at the rate of the timestamps.
  func arguments(_ plan: MixPlan, files: [String], seconds: Double, inRealTime: Bool = false) -> [String] {
    var arguments = ["-filter_threads", "1", "-filter_complex_threads", "1"]
    for file in files { arguments += ["-threads", "1"] + (inRealTime ? ["-re"] : []) + ["-stream_loop", "-1", "-i", file] }
    var graphs: [String] = []
    var outputs: [String] = []
    switch self {
    case .decode: outputs = files.indices.flatMap { ["-map", "\($0):v"] }
    case .compose, .encode, .whole, .overlay:
      graphs.append(self == .overlay ? Self.overlays(plan) : Self.stack(plan))
      outputs = ["-map", "[v]"]
    case .sound: break
    }
    if self == .encode || self == .whole || self == .overlay { outputs += Self.encoder(plan) }
    if self == .sound || self == .whole || self == .overlay {
      graphs.append(Self.sounds(plan))
      outputs += ["-map", "[a]", "-c:a", "aac", "-b:a", "\(MixPlan.audioKilobits)k"]
    }
    if !graphs.isEmpty { arguments += ["-filter_complex", graphs.joined(separator: ";")] }
    return arguments + outputs + ["-t", "\(seconds)", "-f", "null", "-"]
  }

  private static func encoder(_ plan: MixPlan) -> [String] {
    let interval = "\(plan.keyFrameInterval)"
    let rate = "\(plan.videoKilobits)k"
    return [
      "-c:v", "libx264", "-preset", MixPlan.preset, "-tune", "zerolatency", "-profile:v", "main", "-threads", "1", "-g",
      interval, "-keyint_min", interval, "-sc_threshold", "0", "-b:v", rate, "-maxrate", rate, "-bufsize",
      "\(plan.videoKilobits * 6 / 10)k",
    ]
  }

  private static func scaled(_ plan: MixPlan) -> [String] {
    plan.grid.cells.enumerated().map { index, cell in
      "[\(index):v]scale=\(cell.width):\(cell.height):flags=fast_bilinear[s\(index)]"
    }
  }

  private static func stack(_ plan: MixPlan) -> String {
    let grid = plan.grid
    let labels = grid.cells.indices.map { "[s\($0)]" }.joined()
    let places = grid.cells.map { "\($0.x)_\($0.y - grid.top)" }.joined(separator: "|")
    let stack =
      grid.cells.count > 1 ? "\(labels)xstack=inputs=\(grid.cells.count):layout=\(places):fill=black" : "\(labels)null"
    return (scaled(plan) + ["\(stack),pad=\(plan.width):\(plan.height):0:\(grid.top)[v]"]).joined(separator: ";")
  }

  private static func overlays(_ plan: MixPlan) -> String {
    var parts = scaled(plan) + ["color=black:s=\(plan.width)x\(plan.height):r=\(plan.fps)[o0]"]
    for (index, cell) in plan.grid.cells.enumerated() {
      let next = index + 1 < plan.grid.cells.count ? "o\(index + 1)" : "v"
      parts.append("[o\(index)][s\(index)]overlay=\(cell.x):\(cell.y):shortest=1[\(next)]")
    }
    return parts.joined(separator: ";")
  }

  private static func sounds(_ plan: MixPlan) -> String {
    let labels = (0..<plan.sources).map { "[\($0):a]" }.joined()
    return "\(labels)amix=inputs=\(plan.sources),aresample=\(MixPlan.audioRate),aformat=channel_layouts=stereo[a]"
  }
}
