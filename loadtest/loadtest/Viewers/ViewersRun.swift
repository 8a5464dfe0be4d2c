import Foundation
import RoomRTP

/// One measurement of one server: a publisher, then viewers, then a steady window.
struct ViewersRun: Sendable {
  private static let publishTime = 15.0
  /// Timeout from the last viewer's join to its first picture.
  private static let pictureTime = Duration.seconds(15)

  let plan: ViewersPlan
  let clip: LiveClip
  let kind: StreamServerKind
  let server: MeasuredServer<ViewersTarget>
  let progress: ProgressLine
  /// Delay between the last picture and the window, in which the server sends its backlog and rates settle.
  var settling = Duration.seconds(2)

  /// Runs the measurement, including the cleanup.
  func measure() async throws -> ViewersResult {
    let crew = try ViewersCrew(plan, clip, server.target)
    return try await running {
      try await measure(crew)
    } end: {
      await crew.leave()
    }
  }

  private func measure(_ crew: ViewersCrew) async throws -> ViewersResult {
    progress.now("\(kind): the publisher is joining")
    try await crew.publish(within: Self.publishTime)
    // The server's memory for a stream is not part of its viewers' memory: after 3 s, two key frames have passed.
    try await Task.sleep(for: settling * 1.5)
    let alone = try server.pid.map { try ProcessUsage(of: $0) }

    try await join(crew)
    try await Task.sleep(for: settling)

    await crew.beginSamples()
    let meter = Meter(server: server.pid) { try await crew.counts() }
    let window = try await meter.window(seconds: plan.seconds, everySecond: report)
    return ViewersResult(
      plan, clip, kind, alone, window, joins: await crew.joinTimes(), samples: await crew.samples(),
      enough: plan.watching.enough)
  }

  private func join(_ crew: ViewersCrew) async throws {
    let clock = ContinuousClock()
    let began = clock.now
    for number in 0..<plan.count {
      let due = began + .seconds(1) * (Double(number) / Double(plan.joinsPerSecond))
      if due > clock.now { try await Task.sleep(until: due, clock: clock) }
      try await crew.join(number: number)
      if number % 10 == 0 { progress.now("\(kind): \(number) of \(plan.count) viewers joined") }
    }
    let patience = clock.now + Self.pictureTime
    while true {
      let (joined, failure) = await crew.joined()
      if joined == plan.count { break }
      if let failure { throw LoadtestError.refused("a viewer: \(failure)") }
      guard clock.now < patience else {
        throw LoadtestError.noMedia("\(plan.count - joined) of \(plan.count) viewers had no picture within \(Self.pictureTime)")
      }
      progress.now("\(kind): \(joined) of \(plan.count) viewers have a picture")
      try await Task.sleep(for: .milliseconds(100))
    }
    progress.now("\(kind): all \(plan.count) viewers have a picture")
  }

  private func report(_ window: Window<ViewersCount>) {
    let now = window.last.counts
    let frames = now.frames - window.first.counts.frames
    var text = "\(kind): \(window.progress(of: plan.seconds)), \(Int(Double(frames) / window.seconds)) messages/s"
    if let cpu = window.serverTime, let percent = window.serverPercent, frames > 0 {
      text += String(format: ", %.2f µs/message, %.1f %% of a core", cpu / 1000 / Double(frames), percent)
    }
    progress.now(text + (now.gone > 0 ? ", \(now.gone) viewers disconnected: \(now.reason ?? "")" : ""))
  }
}
