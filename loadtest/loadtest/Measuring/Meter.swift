import Foundation
import Glibc

/// Reads the counters of a measurement: those of the server's process, of this machine, and `Counts`, which are particular to
/// the kind of load.
struct Meter<Counts: Sendable>: Sendable {
  /// The server's process, if known.
  let server: Int32?
  /// The URL of the server's metrics, if it has any.
  var metrics: URL?
  let counts: @Sendable () async throws -> Counts

  func moment() async throws -> Moment<Counts> {
    // Slow reads come first, so that the values that are divided by each other are read close together.
    let counts = try await counts()
    return Moment(counts: counts, server: try server.map { try ProcessUsage(of: $0) })
  }

  /// Waits until a window of `seconds` has passed.
  /// - Parameter everySecond: called about once a second with the window so far, which has no metrics yet.
  func window(
    seconds: Double, everySecond: (Window<Counts>) async throws -> Void = { _ in }
  ) async throws -> Window<Counts> {
    try await window(atMost: seconds) { window in
      try await everySecond(window)
      return false
    }
  }

  /// Waits until a window of `seconds` has passed, or until `isOver`, which is called about once a second with the window so far,
  /// returns true.
  func window(
    atMost seconds: Double, until isOver: (Window<Counts>) async throws -> Bool
  ) async throws -> Window<Counts> {
    let before = await fetchMetrics()
    let first = try await moment()
    let end = first.clock + .seconds(seconds)
    while ContinuousClock.now < end {
      try await Task.sleep(until: min(end, .now + .seconds(1)), clock: .continuous)
      if try await isOver(Window(first: first, last: try await moment())) { break }
    }
    let after = await fetchMetrics()
    return Window(first: first, last: try await moment(), metrics: before.flatMap { before in after.map { (before, $0) } })
  }

  private func fetchMetrics() async -> ServerMetrics? {
    guard let metrics else { return nil }
    return await ServerMetrics.fetch(metrics)
  }
}

/// All counters, read at approximately the same time.
struct Moment<Counts: Sendable>: Sendable {
  let counts: Counts
  let server: ProcessUsage?
  let clock = ContinuousClock.now
  let machine = MachineUsage()
  /// CPU time of this process, in nanoseconds.
  let bots = ProcessUsage.ownCPU
}

/// What happened between two moments. Percentages are those of one core.
struct Window<Counts: Sendable>: Sendable {
  let first: Moment<Counts>
  let last: Moment<Counts>
  /// The server's metrics at the start and at the end, if it has any.
  var metrics: (first: ServerMetrics, last: ServerMetrics)?

  var seconds: Double { (last.clock - first.clock) / .seconds(1) }

  /// The server's CPU time in nanoseconds, user and system; nil if its process is unknown.
  var serverTime: Double? {
    guard let now = last.server?.cpu, let then = first.server?.cpu else { return nil }
    return Double(now - then)
  }

  var serverPercent: Double? { serverTime.map { $0 / 1e7 / seconds } }

  var botsPercent: Double { Double(last.bots - first.bots) / 1e7 / seconds }

  /// CPU of all processes other than the server and the bots: shows how quiet the machine was.
  var othersPercent: Double? {
    guard let serverPercent else { return nil }
    let busy = Double(last.machine.busy - first.machine.busy) / Double(sysconf(Int32(_SC_CLK_TCK)))
    return max(0, busy * 100 / seconds - botsPercent - serverPercent)
  }

  /// Percentage of the server's CPU time spent in the kernel; nil if it used none.
  var systemPercent: Double? {
    let user = (last.server?.userTicks ?? 0) - (first.server?.userTicks ?? 0)
    let system = (last.server?.systemTicks ?? 0) - (first.server?.systemTicks ?? 0)
    return user + system > 0 ? Double(system) * 100 / Double(user + system) : nil
  }

  /// The server's resident memory at the end, in MB.
  var residentMegabytes: Double? { last.server.map { Double($0.resident) / 1e6 } }

  /// Returns the growth of the server's memory since an earlier moment, in kB (1000 bytes) for each of `count`.
  func kilobytes(
    since before: ProcessUsage?, for count: Int, of memory: KeyPath<ProcessUsage, Int64> = \.resident
  ) -> Double? {
    guard let before, let now = last.server else { return nil }
    return Double(now[keyPath: memory] - before[keyPath: memory]) / 1000 / Double(count)
  }

  /// Returns the time passed of a window of `length` seconds, as text.
  func progress(of length: Double) -> String { "\(Int(seconds.rounded())) of \(Int(length)) s" }
}
