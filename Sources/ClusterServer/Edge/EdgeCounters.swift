import RoomHTTPServer
import Synchronization

/// The edges that a node has and is.
struct EdgeCounts: Sendable, Encodable {
  /// Edges at other nodes of rooms of this node.
  var served = 0
  /// Rooms of other nodes of which this node is an edge, and their clients here.
  var rooms = 0
  var clients = 0
}

/// Counts the edges that this node serves, and those that it is.
final class EdgeCounters: Sendable {
  /// Edges of rooms of this node.
  let edges = Atomic(0)
  /// Rooms of other nodes of which this node is an edge, and their clients here.
  let rooms = Atomic(0)
  let clients = Atomic(0)
  /// Clients that were redirected, because the owner or the link could not be reached, or a limit was reached.
  let refused = Atomic<UInt64>(0)

  /// Clients that a drain asked to continue at another node, each time that it did.
  let askedToLeave = Atomic<UInt64>(0)

  var counts: EdgeCounts {
    EdgeCounts(
      served: edges.load(ordering: .relaxed), rooms: rooms.load(ordering: .relaxed), clients: clients.load(ordering: .relaxed))
  }

  func addMetrics(to text: inout PrometheusText) {
    text.add("roomserver_edges", .gauge, "Edges at other nodes of rooms of this node.", edges.load(ordering: .relaxed))
    text.add(
      "roomserver_edge_rooms", .gauge, "Rooms of other nodes whose clients this node serves.", rooms.load(ordering: .relaxed))
    text.add(
      "roomserver_edge_clients", .gauge, "Clients of rooms of other nodes that this node serves.",
      clients.load(ordering: .relaxed))
    text.add(
      "roomserver_edge_refused_total", .counter,
      "Clients of rooms of other nodes that were redirected, although this node is an edge.",
      refused.load(ordering: .relaxed))
    text.add(
      "roomserver_edge_asked_to_leave_total", .counter,
      "Times that a drain asked a client of a room of another node to continue elsewhere.",
      askedToLeave.load(ordering: .relaxed))
  }
}
