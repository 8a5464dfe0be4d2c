import Glibc

/// All counters at one moment, near enough.
struct MixMoment: Sendable {
  var clock: ContinuousClock.Instant
  var metrics: ServerMetrics?
  var server: ProcessUsage?
  var machine: MachineUsage
  /// Nanoseconds of this process.
  var bots: Int64

  init(_ target: MixTarget) async throws {
    // What takes long comes first, and what is divided by one another close together.
    metrics = await target.metrics()
    server = try target.pid.map { try ProcessUsage(of: $0) }
    clock = .now
    machine = MachineUsage()
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    bots = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  func seconds(since start: MixMoment) -> Double { (clock - start.clock) / .seconds(1) }

  /// Of the server, in cores; nil where its process is not known.
  func cores(since start: MixMoment) -> Double? {
    guard let now = server?.cpu, let then = start.server?.cpu else { return nil }
    return Double(now - then) / 1e9 / seconds(since: start)
  }

  /// By how much a counter of the server has grown.
  func growth(of name: String, since start: MixMoment) -> Int64? {
    guard let now = metrics?.values[name], let then = start.metrics?.values[name] else { return nil }
    return now - then
  }
}
