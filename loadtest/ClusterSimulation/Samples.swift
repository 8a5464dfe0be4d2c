import RoomCluster

/// What is measured of a simulation.
struct Samples {
  struct Second {
    var at: Double
    var mean: Double
    var max: Double
    var p99: Double
    /// Commands that Redis has got so far.
    var commands: Int
  }

  private(set) var seconds: [Second] = []
  var redis = RedisLoad()
  /// Choices of a node that refused, because it was full, drained or dead.
  var retries = 0
  var refusedRooms = 0
  /// Refusals of viewers; a viewer who tries each second is counted each second.
  var refusedViewers = 0

  /// The most Redis commands in a second.
  var mostCommands: Int { zip(seconds.dropFirst(), seconds).map { $0.commands - $1.commands }.max() ?? 0 }

  mutating func add(_ cluster: Cluster, at second: Double) {
    let used = cluster.nodes.indices.filter { cluster.nodes[$0].isAlive }.map(cluster.used).sorted()
    guard let max = used.last else { return }
    seconds.append(
      Second(
        at: second, mean: used.reduce(0, +) / Double(used.count), max: max, p99: used[used.count * 99 / 100],
        commands: redis.commands))
  }
}
