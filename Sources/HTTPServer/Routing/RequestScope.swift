import RoomProtocol

/// Which nodes of a cluster answer a request.
package enum RequestScope: Sendable {
  /// The node that received it.
  case here
  /// The node of a room.
  case room(RoomName)
  /// The node of a room, or one that opens it.
  case newRoom(RoomName)
  /// The node of a room. The media of the client is at the node that received the request, if that is an edge; else the answer of that
  /// node redirects the client. `opens` says whether the media begins with the request.
  case media(RoomName, opens: Bool)
  /// All nodes that can be reached. `merge` makes one answer of this node's and those of the others.
  case all(merge: @Sendable (_ own: HTTPResponse, _ others: [HTTPResponse]) -> HTTPResponse)
}

extension Endpoint {
  /// How requests of an operation find their node.
  package struct Scoping: Sendable {
    package var scope: @Sendable (_ request: HTTPRequest, _ parameters: [String]) async -> RequestScope
    /// The answer if no node can answer.
    package var unavailable: @Sendable (RoomError) -> HTTPResponse

    package init(
      unavailable: @escaping @Sendable (RoomError) -> HTTPResponse,
      scope: @escaping @Sendable (_ request: HTTPRequest, _ parameters: [String]) async -> RequestScope
    ) {
      (self.unavailable, self.scope) = (unavailable, scope)
    }
  }
}
