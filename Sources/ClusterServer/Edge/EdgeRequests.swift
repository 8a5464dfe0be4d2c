import RoomCluster
import RoomEngine
import RoomHTTPServer
import RoomProtocol
import RoomServer

/// Requests of clients whose media is at the node that they reach, as an edge of the room: the room's owner answers.
struct EdgeRequests: Sendable {
  let owner: OwnerRoute
  /// Nil if this node is no edge: its clients are redirected.
  let edges: Edges?

  private var cluster: Cluster { owner.cluster }

  /// Answers a request about the media of a room's client.
  /// - Parameters:
  ///   - opens: whether the client's media begins with the request.
  ///   - local: answers at this node.
  func answer(
    _ request: HTTPRequest, in room: RoomName, opens: Bool, _ local: (HTTPRequest) async -> HTTPResponse
  ) async -> HTTPResponse {
    let isPassedOn = cluster.sender(of: request) != nil
    func here() async -> HTTPResponse { await local(isPassedOn ? passedOn(request) : request) }
    // A node that is no edge redirects the client.
    guard isPassedOn || edges != nil else { return await here() }
    do throws(ClusterError) {
      return try await owner.answer(about: room, isPassedOn: isPassedOn, here: here) { member in
        await pass(request, in: room, to: member, opens: opens, or: here)
      }
    } catch { return await here() }
  }

  /// Passes a request to the room's owner; if this node can't become an edge of the room, `here` answers.
  private func pass(
    _ request: HTTPRequest, in room: RoomName, to member: ClusterMember, opens: Bool, or here: () async -> HTTPResponse
  ) async -> HTTPResponse {
    guard let edges else { return await here() }
    guard opens else {
      var response = await pass(request, to: member, edge: nil)
      if request.target.hasPrefix("/v1/watch/") {
        response.headers += Alternatives(to: member, at: cluster).headers(leave: edges.isDraining.withLock { $0 })
      }
      return response
    }
    // The edge stays open until the client's transport is, or the request is refused.
    guard let hold = await edges.hold(room, at: member) else { return await here() }
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
