import RoomHTTPServer
import RoomServer
import Synchronization

/// Counts the clients whose messages cross between two nodes.
final class CarriageCounters: Sendable {
  /// Clients here of rooms of other nodes, and clients of other nodes of rooms that are here.
  let carried = Atomic(0)
  let served = Atomic(0)
  /// Clients whose room's node ended or could not be reached any more.
  let lost = Atomic<UInt64>(0)
  /// Clients that were refused, because no node with their room could be reached, or too many are carried.
  let refused = Atomic<UInt64>(0)

  func addMetrics(to text: inout PrometheusText) {
    text.add(
      "roomserver_cluster_carried_clients", .gauge, "Clients of rooms of other nodes that joined through this one.",
      carried.load(ordering: .relaxed))
    text.add(
      "roomserver_cluster_carried_served", .gauge, "Clients of rooms of this node that joined through other nodes.",
      served.load(ordering: .relaxed))
    text.add(
      "roomserver_cluster_carried_lost_total", .counter,
      "Clients that joined through this node, and were disconnected because their room's node was lost.",
      lost.load(ordering: .relaxed))
    text.add(
      "roomserver_cluster_carried_refused_total", .counter,
      "Clients of rooms of other nodes that were refused, because no such node could be reached, or too many are carried.",
      refused.load(ordering: .relaxed))
  }
}
