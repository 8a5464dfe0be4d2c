import RoomHTTPServer
import RoomServer

extension Cluster {
  /// Adds the node's metrics.
  func addMetrics(to text: inout PrometheusText) {
    let counters = node.counters
    text.add("roomserver_cluster_nodes", .gauge, "Members of the cluster.", node.membership.members.count)
    let report = node.incarnation.flatMap { node.membership.members[$0]?.report }
    text.add(
      "roomserver_cluster_headroom_ratio", .gauge, "The free part of the node's capacity; 0 while it drains.",
      report?.headroom ?? 0)
    text.add("roomserver_cluster_leases", .gauge, "Rooms that this node owns.", node.owned.count)
    text.add("roomserver_cluster_orphans", .gauge, "Rooms of dead nodes that wait for another node.", node.orphans)
    text.add("roomserver_cluster_ready", .gauge, "1 while the node may become the owner of rooms.", node.isReady ? 1 : 0)
    text.add(
      "roomserver_cluster_promised", .gauge, "1 while the node keeps its rooms by promises, because Redis does not answer.",
      node.restsOnPromises ? 1 : 0)
    text.add("roomserver_cluster_renewals_total", .counter, "Renewals of the node's lease.", counters.renewals)
    text.add("roomserver_cluster_failed_renewals_total", .counter, "Renewals without an answer.", counters.failedRenewals)
    text.add("roomserver_cluster_takeovers_total", .counter, "Rooms taken over from dead nodes.", counters.takeovers)
    text.add("roomserver_cluster_given_total", .counter, "Rooms that moved to other nodes during a drain.", counters.given)
    text.add("roomserver_cluster_received_total", .counter, "Rooms that moved here from nodes that drain.", counters.received)
    text.add("roomserver_cluster_stopped_total", .counter, "Rooms stopped because the lease was lost.", counters.stopped)
    text.add("roomserver_cluster_ended_total", .counter, "Dead members that this node removed.", counters.ended)
    text.add(
      "roomserver_redis_connected", .gauge, "1 while Redis is connected.", store.redis.session == nil ? 0 : 1)
    text.add("roomserver_redis_connections_total", .counter, "Connections to Redis.", store.redis.connections)
  }
}
