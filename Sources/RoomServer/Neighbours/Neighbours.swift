import RoomCluster
import RoomEngine
import RoomHTTPServer
import RoomOriginServer
import RoomProtocol
import RoomSFU
import RoomWebhooks

/// What the other nodes of a cluster are to the parts that start before the rooms. A server alone has the default of each.
package struct Neighbours: Sendable {
  /// This server's name among the nodes.
  package var node: NodeID?
  /// The store of rooms and documents; nil means the data directory.
  package var store: (any RoomStore & DocumentStore)?
  /// The store of the events of rooms; nil means the data directory.
  package var events: SharedEvents?
  /// Until when media workers may send; nil does not limit them.
  package var authority: SendingAuthority?
  /// Which rooms this server may run; nil means all.
  package var ownership: (any RoomOwnership)?
  /// The live streams of all nodes.
  package var streams: (any StreamRegistry)?
  /// How encoders reach the rooms of other nodes.
  package var ingest: IngestRouting?
  /// Returns a room by its name, whichever node owns it; nil if this server runs all of them.
  package var peer: (@Sendable (RoomName) -> any PeerRoom)?
  /// The queue of the rooms of all nodes that look for a PK opponent.
  package var matchmaking: any Matchmaking = LocalMatchmaking()
  /// The nodes that serve the people of this node's rooms; nil if this node serves all.
  package var places: AudiencePlaces?
  /// Whether this server may open rooms.
  package var isReady: @Sendable () -> Bool = { true }
  /// Whether a node sent a request.
  package var isNode: @Sendable (HTTPRequest) -> Bool = { _ in false }

  package init() {}
}

/// A part that makes the server a node of a cluster.
package protocol NeighboursPart: ServerPart {
  var neighbours: Neighbours { get }
}

extension Assembly {
  package var neighbours: Neighbours {
    get async throws(StartError) {
      for case let part as any NeighboursPart in try await parts({ $0 is any NeighboursPart.Type }) { return part.neighbours }
      return Neighbours()
    }
  }
}
