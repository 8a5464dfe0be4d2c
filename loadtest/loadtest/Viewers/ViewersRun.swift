import Foundation
import Glibc
import RoomRTP

/// One measurement of one server: a publisher, then viewers, then a steady window.
struct ViewersRun: Sendable {
  private static let publishTime = 15.0
  /// Timeout from the last viewer's join to its first picture.
  private static let pictureTime = Duration.seconds(15)
  /// Delay between the last picture and the window, in which the server sends its backlog and rates settle.
  private static let settling = Duration.seconds(2)
  /// A viewer that receives a smaller share of the stream is starved.
  private static let enough = 0.95

  let plan: ViewersPlan
  let clip: LiveClip
  let target: ViewersTarget
  let progress: FanoutProgress

  /// Runs the measurement, including the cleanup.
  func measure() async throws -> ViewersResult {
    let crew = try ViewersCrew(plan, clip, target)
    do {
      let result = try await measure(crew)
      await crew.leave()
      return result
    } catch {
      await crew.leave()
      throw error
    }
  }

  private func measure(_ crew: ViewersCrew) async throws -> ViewersResult {
    progress.now("\(target.kind): the publisher is joining")
    try await crew.publish(within: Self.publishTime)
    // The server's memory for a stream is not part of its viewers' memory: after this delay, two key frames have passed.
    try await Task.sleep(for: .seconds(3))
    let alone = try target.pid.map { try ProcessUsage(of: $0) }

    try await join(crew)
    try await Task.sleep(for: Self.settling)

    await crew.beginSamples()
    let before = try await ViewersMoment(crew, server: target.pid)
    try await watch(crew, since: before)
    let after = try await ViewersMoment(crew, server: target.pid)
    let samples = await crew.samples()
    return ViewersResult(
      plan, clip, target.kind, alone, before, after, joins: await crew.joinTimes(), samples: samples, enough: Self.enough)
  }

  private func join(_ crew: ViewersCrew) async throws {
    let clock = ContinuousClock()
    let began = clock.now
    for number in 0..<plan.count {
      let due = began + .seconds(1) * (Double(number) / Double(plan.joinsPerSecond))
      if due > clock.now { try await Task.sleep(until: due, clock: clock) }
      try await crew.join(number: number)
      if number % 10 == 0 { progress.now("\(target.kind): \(number) of \(plan.count) viewers joined") }
    }
    let patience = clock.now + Self.pictureTime
    while true {
      let (joined, failure) = await crew.joined()
      if joined == plan.count { break }
      if let failure { throw FanoutError.refused("a viewer: \(failure)") }
      guard clock.now < patience else {
        throw FanoutError.noMedia("\(plan.count - joined) of \(plan.count) viewers had no picture within \(Self.pictureTime)")
      }
      progress.now("\(target.kind): \(joined) of \(plan.count) viewers have a picture")
      try await Task.sleep(for: .milliseconds(100))
    }
    progress.now("\(target.kind): all \(plan.count) viewers have a picture")
  }

  /// Waits for the window's end and reports progress.
  private func watch(_ crew: ViewersCrew, since start: ViewersMoment) async throws {
    let end = start.clock + .seconds(plan.seconds)
    while ContinuousClock.now < end {
      try await Task.sleep(until: min(end, .now + .seconds(1)), clock: .continuous)
      guard progress.isWanted else { continue }
      let now = try await ViewersMoment(crew, server: target.pid)
      let seconds = (now.clock - start.clock) / .seconds(1)
      let frames = now.count.frames - start.count.frames
      var text = "\(target.kind): \(Int(seconds.rounded())) of \(Int(plan.seconds)) s"
      text += ", \(Int(Double(frames) / seconds)) messages/s"
      if let cpu = now.cpu(since: start), frames > 0 {
        text += String(format: ", %.2f µs/message, %.1f %% of a core", cpu / 1000 / Double(frames), cpu / 1e7 / seconds)
      }
      progress.now(text + (now.count.gone > 0 ? ", \(now.count.gone) viewers disconnected: \(now.count.reason ?? "")" : ""))
    }
  }
}

/// All counters, read at approximately the same time.
struct ViewersMoment: Sendable {
  var clock: ContinuousClock.Instant
  var count: ViewersCount
  var server: ProcessUsage?
  var machine: MachineUsage
  /// CPU time of this process, in nanoseconds.
  var bots: Int64

  init(_ crew: ViewersCrew, server process: Int32?) async throws {
    count = try await crew.counts()
    server = try process.map { try ProcessUsage(of: $0) }
    clock = .now
    machine = MachineUsage()
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    bots = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Returns the server's CPU time, in nanoseconds.
  func cpu(since start: ViewersMoment) -> Double? {
    guard let now = server?.cpu, let then = start.server?.cpu else { return nil }
    return Double(now - then)
  }
}
