import Foundation
import RoomCLinux
import RoomLossyLink
import RoomWebRTC

/// A publisher and a browser, one of them behind the link.
struct WatchRun: Sendable {
  private static let joinTime = 15.0

  let scenario: NetworkScenario
  let seconds: Double
  let bed: NetworkBed
  let layers: [RecordedMedia]
  /// The layers that the browser asks for; nil leaves the choice to the server.
  var changes: LayerChangePlan?
  /// The file that the page's samples are written into.
  let file: String?
  let progress: ProgressLine

  /// A publisher that runs.
  struct Publisher: Sendable {
    /// Returns how late each picture was sent, in milliseconds; empty if that is unknown.
    var lateness: @Sendable () async -> [Double] = { [] }
    let stop: @Sendable () async -> Void
  }

  /// - Parameter publish: starts the publisher, which is stopped at the end.
  func measure(
    _ server: WatchedServer, publish: @Sendable () async throws -> Publisher
  ) async throws -> [NetworkFigure: Double] {
    let publisher = try await publish()
    return try await running {
      let page = try await ChromiumSubscriber.open(in: scenario.play == .publish ? nil : bed.far)
      return try await running {
        try await measure(server, publisher, page)
      } end: {
        await page.close()
      }
    } end: {
      await publisher.stop()
    }
  }

  private func measure(
    _ server: WatchedServer, _ publisher: Publisher, _ page: ChromiumSubscriber
  ) async throws -> [NetworkFigure: Double] {
    try await server.subscribe(page)
    try await page.firstPicture()
    let flow = scenario.hasTCP ? try TCPFlow(to: bed.far) : nil
    defer { flow?.stop() }
    bed.link.begin()
    let start = Date().timeIntervalSince1970 * 1000
    // The senders on this machine count their time from its start.
    let epoch = start - Double(linux_now_us()) / 1000
    if let changes { try await page.begin(changes) }
    let meter = Meter(server: server.pid, metrics: server.metrics) {}
    let window = try await meter.window(atMost: seconds) { window in
      progress.now("\(scenario.name): \(window.progress(of: seconds))")
      return changes == nil ? false : try await page.hasChanged()
    }
    let link = bed.link.report
    let tcp = flow.map { Double($0.bytes) * 8 / 1000 / window.seconds }
    let samples = try await page.samples()
    if let file { try JSONEncoder().encode(samples).write(to: URL(filePath: file)) }
    var figures = ServerFigures.figures(window)
    figures.merge(LinkFigures.figures(link, scenario.schedule, isUp: scenario.play == .publish)) { $1 }
    let end = start + window.seconds * 1000
    let pageFigures = PageFigures(samples: samples, window: start...end, epoch: epoch)
    figures.merge(pageFigures.figures(interruption: scenario.interruption)) { $1 }
    if let changes {
      let record = try await page.changes()
      figures.merge(LayerChangeFigures(record: record, planned: changes.count, samples: pageFigures.inside).figures()) { $1 }
    }
    figures[.publisherLateness] = await publisher.lateness().quantile(0.99)
    figures[.tcp] = tcp
    if let tcp, let all = figures[.media] { figures[.media] = max(0, all - tcp) }
    return figures
  }

  /// Publishes the recording into the server's room from this process.
  func publishRecording(to server: WatchedServer) async throws -> Publisher {
    let settings = BotSettings(
      certificate: try Certificate(), profiles: FanoutProfile.gcm.profiles, feedbackInterval: 0)
    let loop = try BotLoop(name: "publish", rest: 0)
    let bot = try PublisherHandle(
      name: "publisher", settings: settings, layers: layers, asTracks: server.takesTracks, role: server.target.publisherRole,
      loop: loop)
    do {
      try await server.target.open()
      let seat = try await server.target.publish(bot)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await bot.connected() }
        group.addTask {
          try await Task.sleep(for: .seconds(Self.joinTime))
          throw LoadtestError.noMedia("the publisher was not connected within \(Self.joinTime) s")
        }
        try await group.next()
        group.cancelAll()
      }
      return Publisher {
        await bot.lateness()
      } stop: {
        await loop.stop()
        await seat.leave()
      }
    } catch {
      await loop.stop()
      throw error
    }
  }

  /// Publishes with the project's client behind the link, in a process of its own.
  func publishFromFar(to server: StartedServers.Roomserver) async throws -> Publisher {
    let command = """
      exec '\(StartOptions.itself)' demo --bots 1 --codec vp8 --width 640 --height 360 --fps 20 --kbps 2000 \
      --room \(WatchedServer.room) --url '\(server.address.signalling)' > /dev/null
      """
    let bot = try SideProcess(command, in: bed.far, environment: server.environment)
    return Publisher(stop: { bot.terminate() })
  }
}
