import Foundation
import RoomLossyLink
import RoomProtocol

/// People behind one link: the bots of a scenario of `loadtest run`, in a process on the far side.
struct MeetingRun: Sendable {
  static let kbps = 300
  /// Seconds between the first picture of all and the window, and between the window's end and the bots' leaving.
  private static let margin = 3.0

  /// The scenario and its parameters.
  let bots: String
  /// The number of tracks that the bots receive together.
  let subscriptions: Int
  let seconds: Double
  let bed: NetworkBed
  let scenario: NetworkScenario
  let progress: ProgressLine

  func measure(_ server: StartedServers.Roomserver) async throws -> [NetworkFigure: Double] {
    let folder = try ServerProcess.folder("meeting")
    defer { try? FileManager.default.removeItem(at: folder) }
    let minutes = (seconds + 2 * Self.margin) / 60
    let command = """
      '\(StartOptions.itself)' run \(bots) --minutes \(minutes) \
      --url '\(server.address.signalling)' --report '\(folder.path)' > '\(folder.path)/log' 2>&1
      """
    let before = await Self.subscriptions(on: server)
    let process = try SideProcess(command, in: bed.far, environment: server.environment)
    defer { process.terminate() }
    try await everybodyReceives(server, before + subscriptions)
    try await Task.sleep(for: .seconds(Self.margin))
    bed.link.begin(scenario.schedule)
    let meter = Meter(server: server.process.pid, metrics: server.address.metrics) {}
    let window = try await meter.window(seconds: seconds) { progress.now("\(scenario.name): \($0.progress(of: seconds))") }
    let link = bed.link.report
    _ = await process.status()
    var figures = LinkFigures.figures(link, scenario.schedule)
    figures.merge(ServerFigures.figures(window)) { $1 }
    let file = folder.appending(path: "report.json")
    guard let json = try? Data(contentsOf: file) else {
      throw LoadtestError.noMedia("the bots wrote no report: …\((ProcFile.text(folder.path + "/log") ?? "").suffix(500))")
    }
    figures.merge(Self.figures(try RunReport(json: json, name: file.path))) { $1 }
    return figures
  }

  /// Waits until everybody receives everything.
  private func everybodyReceives(_ server: StartedServers.Roomserver, _ expected: Int) async throws {
    let patience = ContinuousClock.now + .seconds(40)
    while ContinuousClock.now < patience {
      if await Self.subscriptions(on: server) >= expected { return }
      try await Task.sleep(for: .milliseconds(200))
    }
    throw LoadtestError.noMedia("the bots of \(bots) did not receive everything")
  }

  private static func subscriptions(on server: StartedServers.Roomserver) async -> Int {
    Int(await ServerMetrics.fetch(server.address.metrics)?.values["roomserver_subscriptions"] ?? 0)
  }

  /// Returns the figures in the bots' report.
  static func figures(_ report: RunReport) -> [NetworkFigure: Double] {
    func figure(_ figure: Figure) -> FigureReport? {
      report.figures.first { $0.figure == figure.rawValue && $0.kind == "decoded" && $0.count > 0 }
    }
    var figures: [NetworkFigure: Double] = [:]
    figures[.fpsP5] = figure(.fps)?.p5
    figures[.fpsP50] = figure(.fps)?.p50
    figures[.publisherLateness] = report.figures.first { $0.figure == Figure.botsLate.rawValue && $0.count > 0 }?.p95
    func paused(_ kind: TrackKind) -> Double? {
      report.figures.first { $0.figure == Figure.paused.rawValue && $0.kind == kind.rawValue && $0.count > 0 }?.mean
    }
    figures[.paused] = paused(.video)
    figures[.soundPaused] = paused(.audio)
    let still = report.figures.first { $0.figure == Figure.still.rawValue && $0.count > 0 }
    figures[.stillMean] = still?.mean
    figures[.stillMax] = still?.max
    figures[.waitP95] = figure(.freeze)?.p95
    figures[.waitMax] = figure(.freeze)?.max
    figures[.silenceP95] = figure(.silence)?.p95
    figures[.silenceMax] = figure(.silence)?.max
    figures[.delayP50] = figure(.delay)?.p50
    figures[.delayP95] = figure(.delay)?.p95
    figures[.soundDelayP95] = figure(.soundDelay)?.p95
    return figures
  }
}

/// The figures that a server counts itself.
enum ServerFigures {
  static func figures<Counts>(_ window: Window<Counts>) -> [NetworkFigure: Double] {
    var figures: [NetworkFigure: Double] = [:]
    figures[.serverCPU] = window.serverPercent
    figures[.othersCPU] = window.othersPercent
    guard let (first, last) = window.metrics else { return figures }
    func growth(_ name: String) -> Double? {
      last.values["roomserver_media_\(name)_total"].map { Double($0 - (first.values["roomserver_media_\(name)_total"] ?? 0)) }
    }
    if let resent = growth("retransmitted"), let sent = growth("rtp_forwarded"), sent > 0 {
      figures[.resent] = resent / (resent + sent) * 100
    }
    if let requests = growth("key_frame_requests_received") { figures[.keyFrameRequests] = requests / window.seconds }
    return figures
  }
}
