import ArgumentParser
import Foundation
import RoomProtocol

/// Measures how soon people who join a room see a picture.
struct FirstPicture: MeasuringCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure how soon people who join a room see their first picture.",
    discussion: """
      One person publishes VP8 and Opus. Others join at a fixed rate, whether or not earlier joins are complete, decode one \
      picture, stay for a moment and leave. They are complete clients: each figure begins before the connection is opened, and the \
      last one ends with a decoded picture.

        loadtest first-picture --start --rate 50 --seconds 20

      With --start each measurement has a server of its own on free ports of 127.0.0.1. --than measures another program in turn \
      with the first, as often as --pairs says; reports call each by the name of its folder. Without --start the server runs \
      already at --url, without limits for one address: --http-per-address 0 --joins-per-second 1000.
      """)

  @Option(help: "Joins per second, 0.1 to 500.")
  var rate = 50.0

  @Option(help: "Time during which people join, in seconds.")
  var seconds = 20.0

  @Option(help: "Time that each person stays, in seconds.")
  var stay = 2.0

  @Option(help: "Video bitrate of the publisher in kbps.")
  var kbps = 1000

  @Option(help: "Frames per second of the publisher.")
  var fps = 25

  @Option(help: "Seconds from one key frame of the publisher to the next; 0 sends them only on request.")
  var keyFrameInterval = 3.0

  @Option(help: "Seed of the noise in the picture.")
  var seed: UInt64 = 1

  @Option(help: "Number of measurements of each server, alternating between servers.")
  var pairs = 1

  @OptionGroup var own: StartOptions

  @Option(help: ArgumentHelp("With --start: another server executable to compare with.", valueName: "program"))
  var than: String?

  @OptionGroup var connection: ConnectionOptions

  @Option(help: "Without --start: the server's process id.")
  var serverPid: Int32?

  @Option(help: "The room.")
  var room = "first-picture"

  @Flag(help: "Print one JSON object and nothing else.")
  var json = false

  @Option(help: ArgumentHelp("Draw the comparison into this SVG file.", valueName: "file"))
  var chart: String?

  func validate() throws {
    try check("rate", rate, 0.1...500)
    try check("seconds", seconds, 0.5...3600)
    try check("stay", stay, 0...600)
    try check("kbps", kbps, 50...20_000)
    try check("fps", fps, 5...60)
    try check("key-frame-interval", keyFrameInterval, 0...60)
    try check("pairs", pairs, 1...100)
    try own.check(serverPid: serverPid, than: than, pairs: pairs, needsPid: false)
  }

  /// The options that are the same for every server.
  var plan: FirstPicturePlan {
    FirstPicturePlan(rate: rate, seconds: seconds, stay: stay, room: RoomName(room))
  }

  func measure(_ progress: ProgressLine) async throws -> Series<FirstPictureResult> {
    try DescriptorLimit.raise(to: 4 * plan.mostPresent + 256)
    progress.now("encoding VP8 at \(kbps) kbps")
    let media = try RecordedMedia(
      bitrate: kbps * 1000, fps: fps, keyFrameInterval: Int((keyFrameInterval * Double(fps)).rounded()), seed: seed,
      hasNoisyKeyFrame: false)
    guard own.start else {
      let address = try RoomserverAddress(connection.url, await connection.tokens())
      let server = MeasuredServer(target: address, pid: serverPid, metrics: address.metrics)
      return Series([try await FirstPictureRun(plan, media, "roomserver", server, progress).measure()])
    }
    return try await Series.measure([own.program] + [than].compactMap { $0 }, rounds: pairs, progress) { program in
      let started = try await StartedServers.roomserver(
        program: program, arguments: own.roomserverArgument, address: "127.0.0.1")
      return try await started.measured.measure { server in
        try await FirstPictureRun(plan, media, Crowd.name(of: program), server, progress).measure()
      }
    }
  }
}
