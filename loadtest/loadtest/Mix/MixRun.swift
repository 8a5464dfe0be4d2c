import Foundation
import RoomProtocol

/// One measurement: the baseline cost, the server with its programs, and the baseline cost again, because the machine's speed
/// varies.
struct MixRun: Sendable {
  /// Timeout from a source's join to its first frames, and from the jobs' start to the full frame rate.
  private static let startTime = Duration.seconds(20)

  let plan: MixPlan
  let clips: [MixClip]
  let progress: ProgressLine
  /// Delay between the start of the last program and the window, in which playout delays and rate control settle.
  var settling = Duration.seconds(3)
  /// The steps of the baseline cost that are measured separately.
  var steps = BaselineStep.allCases

  /// ffmpeg's cost before and after the server's measurement.
  struct Baseline: Sendable {
    var before: Double
    var after: Double

    var mean: Double { (before + after) / 2 }
  }

  /// - Parameter server: starts the server when it is needed.
  func measure(
    _ server: () async throws -> MeasuredServer<RoomserverAddress>
  ) async throws -> MixResult {
    let bare = BaselineCost(plan: plan, clips: clips)
    var steps: [BaselineStep: Double] = [:]
    for step in Set(self.steps).union([.whole]).sorted(by: { $0.rawValue < $1.rawValue }) {
      progress.now("ffmpeg: \(step)")
      steps[step] = try await bare.measure(step)
    }
    progress.now("ffmpeg: \(plan.baselinePrograms) in parallel in real time")
    let paced = try await bare.measure(.whole, .realTime)
    let served = try await server().measure(serve)
    progress.now("ffmpeg: \(plan.baselinePrograms) in parallel in real time, after the server")
    let realTime = Baseline(before: paced, after: try await bare.measure(.whole, .realTime))
    progress.now("ffmpeg: \(BaselineStep.whole), after the server")
    let flatOut = Baseline(before: steps[.whole] ?? 0, after: try await bare.measure(.whole))
    return MixResult(plan, clips[0].settings, steps: steps, flatOut, realTime, served)
  }

  /// Measurements of the server.
  struct Served: Sendable {
    /// The window before any program ran.
    var alone: Window<Void>
    var window: Window<Void>
    /// The frame rate of each program, one value per second.
    var fps: [JobID: [Int]]
    /// Source frames that the transport refused within the window.
    var refused: Int
  }

  // MARK: The server

  private func room(_ program: Int) -> RoomName { plan.isShared ? "mix" : "mix-\(program + 1)" }
  private func job(_ program: Int) -> JobID { "program-\(program + 1)" }
  private func user(_ source: Int) -> UserID { "source-\(source + 1)" }

  private var rooms: [RoomName] { plan.isShared ? [room(0)] : (0..<plan.programs).map(room) }

  private func serve(_ server: MeasuredServer<RoomserverAddress>) async throws -> Served {
    let target = MixTarget(server: server.target)
    let bots = rooms.enumerated().flatMap { number, room in
      (plan.isPK ? number..<number + 1 : 0..<plan.sources).map { (SourceBot(clips[$0 % clips.count]), user($0), room) }
    }
    if plan.isPK { for room in rooms { try await target.make(room, stage) } }
    return try await running {
      for (bot, user, room) in bots {
        progress.now("\(plan.publishers) publishers are joining")
        try await bot.publish(
          to: server.target.signalling,
          token: server.target.tokens.token(for: user, in: room, grants: plan.isPK ? [.publish, .admin] : [.publish]))
      }
      return try await serve(bots.map(\.0), target, server)
    } end: {
      for program in 0..<plan.programs { try? await target.stop(job(program), in: room(program)) }
      for (bot, _, _) in bots { await bot.leave() }
    }
  }

  private func serve(
    _ bots: [SourceBot], _ target: MixTarget, _ server: MeasuredServer<RoomserverAddress>
  ) async throws -> Served {
    let meter = Meter(server: server.pid, metrics: server.metrics) {}
    try await send(bots)
    let aloneSeconds = max(1, plan.seconds / 4)
    let alone = try await meter.window(seconds: aloneSeconds) { report($0, of: aloneSeconds, [:]) }

    for program in 0..<plan.programs {
      if plan.isPK {
        try await target.start(
          ForwardParams(jobId: job(program), publishUrl: "rtmp://origin/live/\(job(program))"), of: user(program),
          in: room(program))
      } else {
        try await target.start(params(program), in: room(program))
      }
    }
    if plan.isPK { try await meet(bots) }
    try await live(target)
    try await Task.sleep(for: settling)
    let before = try await refused(by: bots)
    var fps: [JobID: [Int]] = [:]
    let window = try await meter.window(seconds: plan.seconds) { window in
      for (job, rate) in try await rates(target) { fps[job, default: []].append(rate) }
      report(window, of: plan.seconds, fps)
    }
    return Served(alone: alone, window: window, fps: fps, refused: try await refused(by: bots) - before)
  }

  /// The picture of each room's stage.
  private var stage: StagePicture {
    StagePicture(
      width: plan.width, height: plan.height, fps: plan.fps, videoKbps: plan.videoKilobits,
      preset: EncoderPreset(rawValue: MixPlan.preset))
  }

  /// Lets the first anchor invite the others to a PK. Returns some seconds after it has begun: the rooms then send one mix.
  private func meet(_ bots: [SourceBot]) async throws {
    progress.now("the anchors meet in a PK")
    try await bots[0].invite(rooms.dropFirst())
    for bot in bots.dropFirst() { try await bot.accept() }
    for bot in bots {
      try await bot.wait("a PK of \(plan.programs) rooms") { $0.pk.current?.members?.count ?? 2 == self.plan.programs }
    }
    try await Task.sleep(for: .seconds(5))
  }

  /// Waits until all sources send.
  private func send(_ bots: [SourceBot]) async throws {
    let patience = ContinuousClock.now + Self.startTime
    for bot in bots {
      while true {
        let status = await bot.status()
        if let failure = status.failure { throw LoadtestError.refused("a source: \(failure)") }
        if status.isSending { break }
        guard ContinuousClock.now < patience else {
          throw LoadtestError.noMedia("a source was not connected within \(Self.startTime)")
        }
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  /// Returns how many source frames the transports have refused so far.
  private func refused(by bots: [SourceBot]) async throws -> Int {
    var refused = 0
    for bot in bots {
      let status = await bot.status()
      if let failure = status.failure { throw LoadtestError.noMedia("a source: \(failure)") }
      refused += status.refused
    }
    return refused
  }

  private func params(_ program: Int) -> MergeParams {
    let cells = plan.grid.cells
    let layouts = (0..<plan.sources).map { source in
      // Programs with the same sources need different layouts; otherwise the server would merge them into one.
      let cell = cells[plan.isShared ? (source + program) % plan.sources : source]
      return TrackLayout(
        userId: user(source), x: cell.x, y: cell.y, width: cell.width, height: cell.height,
        zIndex: plan.isShared ? program : nil)
    }
    return MergeParams(
      jobId: job(program), publishUrl: "rtmp://origin/live/\(job(program))", width: plan.width, height: plan.height,
      fps: plan.fps, videoKbps: plan.videoKilobits, gop: plan.keyFrameInterval, preset: EncoderPreset(rawValue: MixPlan.preset),
      audioKbps: MixPlan.audioKilobits, layouts: layouts)
  }

  /// Waits until all programs approximately reach their frame rate.
  private func live(_ target: MixTarget) async throws {
    let patience = ContinuousClock.now + Self.startTime
    while true {
      let rates = try await rates(target)
      if rates.count == plan.programs, rates.values.allSatisfy({ $0 * 10 >= plan.fps * 9 }) { return }
      guard ContinuousClock.now < patience else {
        throw LoadtestError.noMedia("after \(Self.startTime) the programs had frame rates of \(rates.values.sorted()) fps")
      }
      progress.now("\(rates.values.count { $0 > 0 }) of \(plan.programs) programs are live")
      try await Task.sleep(for: .milliseconds(200))
    }
  }

  /// Returns the programs' current frame rates.
  private func rates(_ target: MixTarget) async throws -> [JobID: Int] {
    var rates: [JobID: Int] = [:]
    for room in rooms {
      for job in try await target.jobs(in: room) { rates[job.job.jobId] = job.status?.fps ?? 0 }
    }
    return rates
  }

  private func report(_ window: Window<Void>, of seconds: Double, _ fps: [JobID: [Int]]) {
    let cpu = window.serverPercent.map { String(format: ", %.1f %% of a core", $0) } ?? ""
    let rates = fps.sorted { $0.key < $1.key }.compactMap(\.value.last)
    progress.now("\(window.progress(of: seconds))\(cpu), frames a second: \(rates)")
  }
}
