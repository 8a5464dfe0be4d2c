/// The times of leases, in µs, and how many members watch each. All nodes of a cluster have the same.
public struct LeaseTiming: Sendable, Hashable {
  /// The life of a lease after a renewal, as other nodes count it.
  public var life: Int64 = 3_000_000
  /// The part of each life that the node itself does not use: for clocks that run at different speeds.
  public var margin: Int64 = 250_000
  /// Interval of renewals. A dead node is noticed within one interval and one life, and its rooms return within 5 s.
  public var interval: Int64 = 500_000
  /// Interval of attempts while the store does not answer.
  public var retry: Int64 = 200_000
  /// The time without a renewal after which a node asks the others for promises.
  public var patience: Int64 = 1_000_000
  /// Maximum time that a node keeps its rooms by promises, from its last contact with the store.
  public var promised: Int64 = 30_000_000
  /// The time after which a node without contact keeps no room, whoever knows it: the extension and more than a lease's life.
  public var settled: Int64 = 35_000_000
  /// The time after which other nodes also restore the rooms of a dead node that the chosen one has not.
  public var turn: Int64 = 600_000

  /// Interval at which a node of a large cluster reads the records of all members.
  public var listing: Int64 = 5_000_000
  /// The number of members that each node watches. A smaller cluster's nodes read all records with each renewal.
  public var watched = 8

  public init() {}

  /// The time after which a changed store contains all rooms that are still owned: the lives of two leases, and a margin.
  var grace: Int64 { 2 * life + 2 * margin }
}
