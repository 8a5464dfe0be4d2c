/// What a node counts for its metrics.
public struct NodeCounters: Sendable, Hashable {
  public var renewals: UInt64 = 0
  public var failedRenewals: UInt64 = 0
  public var takeovers: UInt64 = 0
  /// Rooms that were stopped because the node lost its lease.
  public var stopped: UInt64 = 0
  /// Members whose leases this node has ended.
  public var ended: UInt64 = 0
  /// Rooms that this node gave to other members, and received from them.
  public var given: UInt64 = 0
  public var received: UInt64 = 0
}
