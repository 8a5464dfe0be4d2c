import RoomCluster
import RoomEngine
import RoomHTTPServer
import RoomProtocol
import RoomServer

/// Requests of clients whose media is at the node that they reach, as an edge of the room: the room's owner answers.
struct EdgeRequests: Sendable {
  let cluster: Cluster
  /// Nil if this node is no edge: its clients are redirected.
  let edges: Edges?

  /// Answers a request about the media of a room's client.
  /// - Parameters:
  ///   - opens: whether the client's media begins with the request.
  ///   - local: answers at this node.
  func answer(
    _ request: HTTPRequest, in room: RoomName, opens: Bool, _ local: (HTTPRequest) async -> HTTPResponse
  ) async -> HTTPResponse {
    guard cluster.sender(of: request) == nil else { return await local(passedOn(request)) }
    guard let edges, case .there(let member)? = try? await cluster.node.owner(of: room, isRestored: true) else {
      return await local(request)
    }
    guard opens else {
      var response = await pass(request, to: member, edge: nil)
      if request.target.hasPrefix("/v1/watch/") {
        response.headers += Alternatives(to: member, at: cluster).headers(leave: edges.isDraining.withLock { $0 })
      }
      return response
    }
    // The edge stays open until the client's transport is, or the request is refused.
    guard let hold = await edges.hold(room, at: member) else { return await local(request) }
    defer { withExtendedLifetime(hold) {} }
    return await pass(request, to: member, edge: cluster.node.incarnation)
  }

  private func pass(_ request: HTTPRequest, to member: ClusterMember, edge: Incarnation?) async -> HTTPResponse {
    var passed = request
    passed.headers.removeAll { $0.name == PassedClient.header }
    cluster.sign(PassedClient(request.client, mayOpen: false, edge: edge), in: &passed)
    return await cluster.forward(passed, to: member)
  }

  /// Returns a request of another node as that of its client.
  private func passedOn(_ request: HTTPRequest) -> HTTPRequest {
    guard case .node(let client) = cluster.origin(of: request) else { return request }
    var passed = request
    (passed.client, passed.isPassedOn) = (client, true)
    return passed
  }
}
