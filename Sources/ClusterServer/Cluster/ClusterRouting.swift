import Foundation
import RoomCluster
import RoomHTTPServer
import RoomLiveOrigin
import RoomOriginServer
import RoomProtocol
import RoomServer

/// Answers the requests of one REST API at any node: a request about a room is passed to the room's owner, a new room is made at
/// a node with headroom, and the list of rooms contains those of all nodes.
struct ClusterRouting: Sendable {
  let owner: OwnerRoute
  let listing: ClusterListing
  /// Answers about recorded files.
  let recordings: ClusterRecordings
  /// Answers requests about the media of clients.
  let media: MediaAnswer

  var cluster: Cluster { owner.cluster }

  typealias MediaAnswer =
    @Sendable (
      _ request: HTTPRequest, _ room: RoomName, _ opens: Bool, _ local: (HTTPRequest) async -> HTTPResponse
    ) async -> HTTPResponse

  /// Returns the endpoints with those of rooms replaced.
  func routed(_ endpoints: [Endpoint]) -> [Endpoint] {
    endpoints.map { endpoint in
      guard case .answer(let local) = endpoint.action else { return endpoint }
      var routed = endpoint
      if let scoping = endpoint.scoping {
        routed.action = .answer { request, names in
          await answer(request, scoping, await scoping.scope(request, names)) { await local($0, names) }
        }
      } else if endpoint.path.starts(with: [.named("v1"), .named("rooms"), .any(ending: "")]) {
        routed.action = .answer { request, names in
          await toOwner(of: names.first, request) { await local(request, names) }
        }
      } else if endpoint.path == [.named("v1"), .named("rooms")] {
        routed.action =
          endpoint.method == "POST"
          ? .answer { request, names in await create(request) { await local(request, names) } }
          : .answer { request, names in await listing.list(request) { await local(request, names) } }
      }
      return routed
    }.map(shared)
  }

  /// Returns an endpoint of something that each node has on its own, so that the endpoint answers for all nodes.
  private func shared(_ endpoint: Endpoint) -> Endpoint {
    guard endpoint.scoping == nil, case .answer(let local) = endpoint.action else { return endpoint }
    var routed = endpoint
    let lists = ClusterLists(cluster: cluster)
    let file: [Endpoint.Segment] = [.named("v1"), .named("recordings"), .any(ending: "")]
    if endpoint.method == "GET", let list = ClusterLists.all[endpoint.plainPath] {
      routed.action = .answer { request, names in await lists.answer(request, list) { await local($0, names) } }
    } else if endpoint.method == "GET", endpoint.plainPath == ClusterAlarms.path {
      routed.action = .answer { [cluster] request, names in
        await ClusterAlarms(cluster: cluster).answer(request) { await local($0, names) }
      }
    } else if endpoint.path.starts(with: file) {
      let isFile = endpoint.path.last == .named("file")
      routed.action = .answer { request, names in
        await recordings.answer(request, isFile: isFile) { await local($0, names) }
      }
    } else if endpoint.method == "DELETE",
      endpoint.path == [.named("v1"), .named("streams")] + [.any(ending: ""), .any(ending: "")]
    {
      routed.action = .answer { request, names in await endStream(request, names) { await local(request, names) } }
    }
    return routed
  }

  /// Ends a stream at the node that publishes it.
  private func endStream(
    _ request: HTTPRequest, _ names: [String], _ local: () async -> HTTPResponse
  ) async -> HTTPResponse {
    guard cluster.sender(of: request) == nil, names.count == 2, let path = StreamPath(app: names[0], stream: names[1]) else {
      return await local()
    }
    do throws(OriginRefusal) {
      guard let server = try await cluster.streams.server(of: path), let publisher = Incarnation(server.name),
        let member = cluster.member(publisher)
      else { return await local() }
      return await cluster.forward(request, to: member)
    } catch { return await local() }
  }

  private func toOwner(
    of name: String?, _ request: HTTPRequest, _ local: () async -> HTTPResponse
  ) async -> HTTPResponse {
    guard let name, NameRule.allows(name) else { return await local() }
    do throws(ClusterError) {
      return try await owner.answer(
        about: RoomName(name), isPassedOn: cluster.sender(of: request) != nil, here: local,
        there: { await cluster.forward(request, to: $0) })
    } catch { return Self.unavailable(error) }
  }

  private struct Named: Decodable { var name: RoomName }

  private func create(_ request: HTTPRequest, _ local: () async -> HTTPResponse) async -> HTTPResponse {
    guard let name = try? JSONDecoder().decode(Named.self, from: Data(request.body)).name, NameRule.allows(name.rawValue) else {
      return await local()
    }
    return await create(name, request, local)
  }

  private func create(
    _ name: RoomName, _ request: HTTPRequest, _ local: () async -> HTTPResponse
  ) async -> HTTPResponse {
    guard cluster.sender(of: request) == nil else { return await local() }
    do throws(ClusterError) {
      switch try await cluster.node.owner(of: name) {
      case .here: return await local()
      case .there(let member): return await cluster.forward(request, to: member)
      case nil:
        var refusal: HTTPResponse?
        for member in Self.candidates(of: cluster.node.membership, first: choose()) {
          let isOwn = member.incarnation == cluster.node.incarnation
          let response = isOwn ? await local() : await cluster.forward(request, to: member)
          // The node has died, drains or is full: another one is as good.
          guard [429, 503].contains(response.status) else { return response }
          refusal = response
        }
        if let refusal { return refusal }
        return await local()
      }
    } catch { return Self.unavailable(error) }
  }

  private func answer(
    _ request: HTTPRequest, _ scoping: Endpoint.Scoping, _ scope: RequestScope,
    _ local: (HTTPRequest) async -> HTTPResponse
  ) async -> HTTPResponse {
    func own() async -> HTTPResponse { await local(request) }
    let response =
      switch scope {
      case .here: await own()
      case .room(let room): await toOwner(of: room.rawValue, request, own)
      case .newRoom(let room): await create(room, request, own)
      case .media(let room, let opens): await media(request, room, opens, local)
      case .all(let merge): await merged(request, merge, own)
      }
    // An error of the cluster has the form of the REST API.
    guard response.status == 503, let error = try? JSONDecoder().decode(RoomError.self, from: Data(response.body)) else {
      return response
    }
    return scoping.unavailable(error)
  }

  /// Merges the answers of all nodes. A node that does not answer is left out.
  private func merged(
    _ request: HTTPRequest, _ merge: (HTTPResponse, [HTTPResponse]) -> HTTPResponse, _ local: () async -> HTTPResponse
  ) async -> HTTPResponse {
    let own = await local()
    guard cluster.sender(of: request) == nil, own.status == 200 else { return own }
    return merge(own, await answersOfOthers(request))
  }

  /// Returns what the other nodes answer to a request. A node that does not answer is left out.
  private func answersOfOthers(_ request: HTTPRequest) async -> [HTTPResponse] {
    await withTaskGroup(of: HTTPResponse.self) { group in
      for member in cluster.others { group.addTask { await cluster.forward(request, to: member) } }
      return await group.reduce(into: []) { if $1.status == 200 { $0.append($1) } }
    }
  }

  // MARK: Choosing a node

  /// The member that opens a new room; nil if all are full.
  private func choose() -> ClusterMember? {
    let membership = cluster.node.membership
    let region = cluster.node.incarnation.flatMap { membership.members[$0]?.report.region } ?? ""
    var generator = SystemRandomNumberGenerator()
    return try? Placement.member(of: membership, in: region, using: &generator)
  }

  /// The number of members that are asked to open a room.
  static let maximumCandidates = 3

  /// The members that are asked to open a room, in order: after the first those with the most headroom; among equals, those with
  /// the fewest rooms.
  static func candidates(of membership: Membership, first: ClusterMember?) -> [ClusterMember] {
    let others = membership.members.values.filter { $0.incarnation != first?.incarnation }.sorted { left, right in
      let (a, b) = (left.report, right.report)
      if a.headroom != b.headroom { return a.headroom > b.headroom }
      if a.rooms != b.rooms { return a.rooms < b.rooms }
      return left.incarnation.node < right.incarnation.node
    }
    return Array(((first.map { [$0] } ?? []) + others).prefix(maximumCandidates))
  }

  private static func unavailable(_ error: ClusterError) -> HTTPResponse {
    .error(503, RoomError(.updateRoomFailed, "\(error); try again in a second"), headers: [("Retry-After", "1")])
  }
}

extension Endpoint {
  /// The path of an endpoint without parameters, as in "/v1/streams"; empty for others.
  fileprivate var plainPath: String {
    var text = ""
    for segment in path {
      guard case .named(let name) = segment else { return "" }
      text += "/\(name)"
    }
    return text
  }
}
