import ArgumentParser
import Foundation

/// Measures programs that a server mixes and compares their cost with that of ffmpeg alone.
struct Mix: MeasuringCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure what mixing programs costs a server, and what the same work costs ffmpeg.",
    discussion: """
      Publishers send H.264 and Opus that ffmpeg encoded before. Each program is a merge job of its own sources that goes to the \
      server's own origin, where nobody watches. The bare cost is that of ffmpeg, one thread each, which decodes, scales, mixes and \
      encodes the same files in the same way; it is measured before and after the server.

        loadtest mix --start --programs 2 --sources 2 --size 720x1280 --fps 24

      With --start the server is one of its own on free ports of 127.0.0.1. Without it the server runs already, at --url, and \
      --server-pid tells whose CPU to measure.
      """)

  @Option(help: "Number of programs, 1 to 64.")
  var programs = 2

  @Option(help: "Number of sources in each program, 1 to 16.")
  var sources = 2

  @Option(help: "A program's size in pixels, even.")
  var size = PictureSize(width: 720, height: 1280)

  @Option(help: "Frame rate of programs and sources.")
  var fps = 24

  @Option(help: "Video bitrate of a program in kbps (default: depends on its size).")
  var kbps: Int?

  @Option(help: "A source's size in pixels, even.")
  var sourceSize = PictureSize(width: 360, height: 640)

  @Option(help: "Video bitrate of a source in kbps.")
  var sourceKbps = 800

  @Option(help: "Length of the measurement window in seconds.")
  var seconds = 20.0

  @Flag(help: "All programs show the same sources, each in its own layout.")
  var shared = false

  @Flag(
    help:
      "The sources are anchors of as many rooms in one PK, which all send the same picture; the bare cost is that of one program."
  )
  var pk = false

  @OptionGroup var own: StartOptions

  @Option(help: "Without --start: the server's process id.")
  var serverPid: Int32?

  @OptionGroup var connection: ConnectionOptions

  @Flag(help: "Print one JSON object and nothing else.")
  var json = false

  func validate() throws {
    try check("programs", programs, 1...64)
    try check("sources", sources, 1...16)
    try check("size", size, size.isMixable, "even and 16 to 1920 pixels per side")
    try check("source-size", sourceSize, sourceSize.isMixable, "even and 16 to 1920 pixels per side")
    try check("fps", fps, 1...60)
    if let kbps { try check("kbps", kbps, 50...20_000) }
    try check("source-kbps", sourceKbps, 50...20_000)
    try check("seconds", seconds, 1...3600)
    guard !shared || programs <= 16 else {
      throw ValidationError("--programs must be 1 to 16 with --shared, because they are jobs of one room")
    }
    guard !pk || (sources == programs && (2...9).contains(sources) && !shared) else {
      throw ValidationError("--pk needs as many --programs as --sources, 2 to 9, and excludes --shared")
    }
    guard serverPid == nil || !own.start else { throw ValidationError("--server-pid can't be combined with --start") }
  }

  var plan: MixPlan {
    MixPlan(
      programs: programs, sources: sources, width: size.width, height: size.height, fps: fps, kbps: kbps, seconds: seconds,
      isShared: shared, isPK: pk)
  }

  var clip: MixClip.Settings {
    MixClip.Settings(width: sourceSize.width, height: sourceSize.height, fps: fps, kbps: sourceKbps)
  }

  func measure(_ progress: ProgressLine) async throws -> MixResult {
    let folder = try ServerProcess.folder("mix")
    defer { try? FileManager.default.removeItem(at: folder) }
    progress.now("encoding \(sources) sources")
    let clips = try await MixClipEncoder.clips(sources, clip, in: folder)
    return try await MixRun(plan: plan, clips: clips, progress: progress).measure(server)
  }

  private func server() async throws -> MeasuredServer<RoomserverAddress> {
    if own.start { return try await own.startRoomserver().measured }
    let address = try RoomserverAddress(connection.url, await connection.tokens())
    return MeasuredServer(target: address, pid: serverPid, metrics: address.metrics)
  }
}

/// A picture size, written as 720x1280.
struct PictureSize: Sendable, Hashable, CustomStringConvertible, ExpressibleByArgument {
  /// Width in pixels.
  var width: Int
  var height: Int

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  init?(argument: String) {
    let sides = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1] else { return nil }
    self.init(width: width, height: height)
  }

  var description: String { "\(width)x\(height)" }
  var defaultValueDescription: String { description }

  /// Whether a merge job accepts this size.
  var isMixable: Bool { [width, height].allSatisfy { (16...1920).contains($0) && $0 % 2 == 0 } }
}
