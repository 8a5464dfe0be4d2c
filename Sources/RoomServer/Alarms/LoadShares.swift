/// The shares of the server's capacity that are in use, 0 to 1. A cluster places rooms, and an autoscaler adds nodes, by the
/// fullest one.
struct LoadShares: Sendable, Hashable {
  /// The mean of all media workers' cores.
  var media = 0.0
  /// The machine's processors.
  var processors = 0.0
  /// The machine's memory, or the control group's limit.
  var memory = 0.0

  init() {}

  /// Computes the shares of the time between two readings.
  init(from before: AlarmReadings, to now: AlarmReadings) {
    let seconds = Double(now.now - before.now) / 1000
    if seconds > 0, !now.workers.isEmpty, now.workers.count == before.workers.count {
      let used = zip(now.workers, before.workers).reduce(0) { $0 + max(0, $1.0 - $1.1) }
      media = min(1, used / seconds / Double(now.workers.count))
    }
    processors = now.machine.processor.flatMap { new in before.machine.processor.flatMap { new.load(since: $0) } } ?? 0
    memory = now.machine.memory ?? 0
  }
}
