import ArgumentParser
import Foundation
import RoomProtocol

/// Measures what many viewers of one live stream cost the server.
struct Viewers: AsyncParsableCommand {
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

  @Option(name: .customLong("protocol"), help: "The protocol of the viewers: rtmp or flv (HTTP-FLV).")
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
    help: "Without --start: the play URL, rtmp://… or http(s)://….flv (default for RTMP: the publish URL without its query).")
  var playUrl: String?

  @Option(help: "Without --start: the server's process id.")
  var serverPid: Int32?

  @Flag(help: "Print one JSON object and nothing else.")
  var json = false

  @Option(help: ArgumentHelp("Draw the comparison into this SVG file.", valueName: "file"))
  var chart: String?

  func validate() throws {
    func check(_ name: String, _ value: some CustomStringConvertible, _ isGood: Bool, _ range: String) throws {
      guard isGood else { throw ValidationError("--\(name) is \(range), not \(value)") }
    }
    try check("count", count, (1...10_000).contains(count), "1 to 10000")
    try check("seconds", seconds, (0.5...3600).contains(seconds), "0.5 to 3600")
    try check("pairs", pairs, (1...100).contains(pairs), "1 to 100")
    try check("kbps", kbps, (50...20_000).contains(kbps), "50 to 20000")
    try check("height", height, [180, 360, 720].contains(height), "720, 360 or 180")
    try check("joins-per-second", joinsPerSecond, (1...10_000).contains(joinsPerSecond), "1 to 10000")
    try check("threads", threads, (1...64).contains(threads), "1 to 64")
    guard !target.isEmpty, Set(target).count == target.count else {
      throw ValidationError("each --target may be given only once")
    }
    guard watching == .rtmp || target == [.roomserver] else {
      throw ValidationError("--target nginx supports only RTMP: its module has no HTTP-FLV")
    }
    guard own.start else {
      guard target.count == 1 else { throw ValidationError("more than one --target requires --start") }
      guard let publishUrl else { throw ValidationError("--publish-url is required without --start") }
      _ = try ViewersTarget(target[0], publish: publishUrl, play: playUrl, over: watching, pid: serverPid)
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

  func run() async throws {
    let stop = StopSignal()
    let progress = FanoutProgress(isWanted: !json)
    let series: ViewersSeries
    do {
      series = try await withThrowingTaskGroup(of: ViewersSeries.self) { group in
        group.addTask { try await measureAll(progress) }
        group.addTask {
          await stop.wait()
          throw FanoutError.stopped
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw FanoutError.stopped }
        return first
      }
    } catch let error as FanoutError {
      progress.line("")
      FileHandle.standardError.write(Data("loadtest: \(error)\n".utf8))
      throw ExitCode.failure
    }
    if let chart { try ViewersChart.svg(series).write(toFile: chart, atomically: true, encoding: .utf8) }
    if json {
      FileHandle.standardOutput.write(Data((try Self.text(series) + "\n").utf8))
    } else {
      progress.line(ViewersTable.text(series))
    }
    guard series.runs.allSatisfy(\.isValid) else { throw ExitCode.failure }
  }

  /// Returns a single measurement as an object and several as a series.
  static func text(_ series: ViewersSeries) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    let only = series.runs.count == 1 ? series.runs.first : nil
    let data = if let only { try encoder.encode(only) } else { try encoder.encode(series) }
    return String(decoding: data, as: UTF8.self)
  }

  private func measureAll(_ progress: FanoutProgress) async throws -> ViewersSeries {
    try DescriptorLimit.raise(to: count + 256)
    progress.now("preparing H.264 at \(kbps) kbps")
    let clip = try ClipEncoder.clip(clip)
    var runs: [ViewersResult] = []
    for pair in 1...pairs {
      for kind in target {
        let server = try await server(kind)
        let result: ViewersResult
        do {
          result = try await ViewersRun(plan: plan, clip: clip, target: server.target, progress: progress).measure()
        } catch {
          await server.process?.stop()
          throw error
        }
        await server.process?.stop()
        runs.append(result)
        guard pairs * target.count > 1 else { continue }
        let cpu = result.cpuPercentPerViewer.map { String(format: ", %.4f %% of a core per viewer", $0) } ?? ""
        progress.line("\(pair)/\(pairs) \(kind): \(Int(result.messagesPerSecond)) messages/s\(cpu), \(result.lost) lost")
      }
    }
    return ViewersSeries(runs)
  }

  private func server(_ kind: StreamServerKind) async throws -> (target: ViewersTarget, process: ServerProcess?) {
    guard own.start else {
      return (try ViewersTarget(kind, publish: publishUrl ?? "", play: playUrl, over: watching, pid: serverPid), nil)
    }
    let address = "127.0.0.1"
    let stream = "viewers"
    switch kind {
    case .roomserver:
      let started = try await own.startRoomserver(at: address)
      let token = try await TokenMint(key: StartedServers.key, secret: started.secret).token(
        for: "encoder", in: RoomName(stream))
      let publish = "rtmp://\(address):\(started.rtmpPort)/live/\(stream)?token=\(token)"
      let play = watching == .flv ? "http://\(address):\(started.port)/live/\(stream).flv" : nil
      let target = try ViewersTarget(kind, publish: publish, play: play, over: watching, pid: started.process.pid)
      return (target, started.process)
    case .nginx:
      let started = try await StartedServers.nginx(
        program: nginx, module: nginxModule, address: address, connections: count)
      let target = try ViewersTarget(
        kind, publish: "rtmp://\(address):\(started.port)/live/\(stream)", play: nil, over: watching, pid: started.process.pid)
      return (target, started.process)
    }
  }
}

extension WatchingProtocol: ExpressibleByArgument {}
