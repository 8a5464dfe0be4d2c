import Glibc

/// All counters, read at approximately the same time.
struct MixMoment: Sendable {
  var clock: ContinuousClock.Instant
  var metrics: ServerMetrics?
  var server: ProcessUsage?
  var machine: MachineUsage
  /// CPU time of this process, in nanoseconds.
  var bots: Int64

  init(_ target: MixTarget) async throws {
    // Slow reads come first, so that the values that are divided by each other are read close together.
    metrics = await target.metrics()
    server = try target.pid.map { try ProcessUsage(of: $0) }
    clock = .now
    machine = MachineUsage()
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    bots = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  func seconds(since start: MixMoment) -> Double { (clock - start.clock) / .seconds(1) }

  /// Returns the server's CPU use in cores, or nil if its process is unknown.
  func cores(since start: MixMoment) -> Double? {
    guard let now = server?.cpu, let then = start.server?.cpu else { return nil }
    return Double(now - then) / 1e9 / seconds(since: start)
  }

  /// Returns how much a counter of the server has grown.
  func growth(of name: String, since start: MixMoment) -> Int64? {
    guard let now = metrics?.values[name], let then = start.metrics?.values[name] else { return nil }
    return now - then
  }
}
