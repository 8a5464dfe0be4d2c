import RoomRTP

/// How ``Placement`` chooses nodes.
public struct PlacementRules: Hashable, Sendable {
  /// The share of a node's capacity that new rooms may fill. The rest is for rooms that grow.
  public var fill = 0.85
  /// The share that rooms of a dead node may fill.
  public var failoverFill = 0.95
  /// The nodes that are compared for each room, at least 1. Two avoid both full nodes and a rush to the emptiest one.
  public var choices = 2
  /// The age from which a report does not count, in microseconds.
  public var staleAfter: Int64 = 6_000_000
  /// The time after which a node's report includes a room that was placed there, in microseconds.
  public var settling: Int64 = 1_000_000
  /// The wait of the second candidate for a dead node's room; the third waits twice as long. In microseconds.
  public var claimStep: Int64 = 250_000
  /// The additional wait of candidates in other regions. Nodes notice a death at different times, and those in the region
  /// come first. In microseconds.
  public var abroadWait: Int64 = 500_000
  /// The candidates in the room's region, and as many in other regions.
  public var candidates = 3
  /// The largest number of nodes; reports of further ones are ignored.
  public var nodes = 10_000

  public init() {}
}
