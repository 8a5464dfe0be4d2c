import ArgumentParser
import Foundation
import RoomProtocol

/// Measures what many viewers of one live stream cost the server.
struct Viewers: MeasuringCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure what many viewers of one live stream cost a server.",
    discussion: """
      One publisher sends H.264 and AAC by RTMP at the pace of their timestamps (made with ffmpeg once, and kept among the \
      temporary files). The viewers follow every message by its header; one in \(ViewersPlan.sampling) is looked at whole. \
      Several targets are measured one after the other with the same bots, as often as --pairs says:

        loadtest viewers --protocol rtmp --count 1000 --start --target roomserver --target nginx --pairs 5

      With --start each measurement has a server of its own on free ports of 127.0.0.1. Without it the server runs already, at \
      --publish-url and --play-url, and --server-pid tells whose CPU and memory to measure.
      """)

  @Option(name: .customLong("protocol"), help: "The protocol of the viewers: rtmp, flv (HTTP-FLV), hls, or ll-hls (by parts).")
  var watching = WatchingProtocol.rtmp

  @Option(help: "Number of viewers, 1 to 10000.")
  var count = 1000

  @Option(help: "Length of the measurement window in seconds.")
  var seconds = 20.0

  @Option(help: "roomserver or nginx; may be repeated.")
  var target: [StreamServerKind] = [.roomserver]

  @Option(help: "Number of measurements of each target, alternating between targets.")
  var pairs = 1

  @Option(help: "Video bitrate of the stream in kbps.")
  var kbps = 1000

  @Option(help: "Height of the picture: 720, 360 or 180.")
  var height = 720

  @Option(help: "Number of viewers that join per second.")
  var joinsPerSecond = 200

  @Option(help: "Number of threads that run viewers.")
  var threads = 1

  @OptionGroup var own: StartOptions

  @Option(help: "With --start: the server's executable.")
  var nginx = "/usr/sbin/nginx"

  @Option(help: "With --start: nginx's RTMP module.")
  var nginxModule = "/usr/lib/nginx/modules/ngx_rtmp_module.so"

  @Option(help: "Without --start: the publish URL, rtmp://…, with a token if one is required.")
  var publishUrl: String?

  @Option(
    help: "Without --start: the play URL, rtmp://… or http(s)://… (default for RTMP: the publish URL without its query).")
  var playUrl: String?

  @Option(help: "Without --start: the server's process id.")
  var serverPid: Int32?

  @Flag(help: "Print one JSON object and nothing else.")
  var json = false

  @Option(help: ArgumentHelp("Draw the comparison into this SVG file.", valueName: "file"))
  var chart: String?

  func validate() throws {
    try check("count", count, 1...10_000)
    try check("seconds", seconds, 0.5...3600)
    try check("pairs", pairs, 1...100)
    try check("kbps", kbps, 50...20_000)
    try check("height", height, [180, 360, 720].contains(height), "720, 360 or 180")
    try check("joins-per-second", joinsPerSecond, 1...10_000)
    try check("threads", threads, 1...64)
    try check(targets: target)
    guard watching == .rtmp || target == [.roomserver] else {
      throw ValidationError("--target nginx supports only RTMP")
    }
    guard own.start else {
      guard target.count == 1 else { throw ValidationError("more than one --target requires --start") }
      _ = try runningServer()
      return
    }
    guard publishUrl == nil, playUrl == nil, serverPid == nil else {
      throw ValidationError("--publish-url, --play-url and --server-pid can't be combined with --start")
    }
  }

  /// The options that are the same for every server.
  var plan: ViewersPlan {
    ViewersPlan(watching: watching, count: count, seconds: seconds, joinsPerSecond: joinsPerSecond, threads: threads)
  }

  var clip: LiveClip.Settings { LiveClip.Settings(width: height * 16 / 9, height: height, kbps: kbps) }

  func measure(_ progress: ProgressLine) async throws -> Series<ViewersResult> {
    try DescriptorLimit.raise(to: count + 256)
    progress.now("preparing H.264 at \(kbps) kbps")
    let clip = try ClipEncoder.clip(clip)
    return try await Series.measure(target, rounds: pairs, progress) { kind in
      try await server(kind).measure { server in
        try await ViewersRun(plan: plan, clip: clip, kind: kind, server: server, progress: progress).measure()
      }
    }
  }

  private func server(_ kind: StreamServerKind) async throws -> MeasuredServer<ViewersTarget> {
    guard own.start else { return try runningServer() }
    let address = "127.0.0.1"
    let stream = "viewers"
    switch kind {
    case .roomserver:
      let started = try await own.startRoomserver(at: address)
      return try started.measured.map { server in
        let token = try server.tokens.token(for: "encoder", in: RoomName(stream))
        return try ViewersTarget(
          publish: "rtmp://\(address):\(started.rtmpPort)/live/\(stream)?token=\(token)",
          play: watching.ending.map { "http://\(address):\(started.port)/live/\(stream)\($0)" }, over: watching)
      }
    case .nginx:
      return try await StartedServers.nginx(program: nginx, module: nginxModule, address: address, connections: count).map {
        try ViewersTarget(publish: "rtmp://\(address):\($0)/live/\(stream)", play: nil, over: watching)
      }
    }
  }

  /// Returns the server at the URLs on the command line.
  func runningServer() throws -> MeasuredServer<ViewersTarget> {
    guard let publishUrl else { throw ValidationError("--publish-url is required without --start") }
    return MeasuredServer(
      target: try ViewersTarget(publish: publishUrl, play: playUrl, over: watching), pid: serverPid)
  }
}

extension WatchingProtocol: ExpressibleByArgument {}
