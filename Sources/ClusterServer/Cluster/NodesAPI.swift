import Foundation
import RoomCluster
import RoomEngine
import RoomHTTPServer
import RoomProtocol
import RoomServer

/// The requests of other nodes about the cluster.
struct NodesAPI: Sendable {
  static let promises = "/v1/cluster/promises"
  static let handovers = "/v1/cluster/handovers"

  let cluster: Cluster
  let listing: ClusterListing
  let nodes: NodesList
  let audience: AudienceReporting

  var endpoints: [Endpoint] {
    [
      .forNodes("POST", Self.promises, cluster) { request, _, _ in
        guard let question = try? JSONDecoder().decode(PromiseQuestion.self, from: Data(request.body)),
          let request = question.request
        else { return .error(400, HTTPError.badRequest("no question for a promise")) }
        return cluster.node.asked(request)
          ? .noContent : .error(409, RoomError(.updateRoomFailed, "this node gives no promise"))
      },
      .forNodes("POST", Self.handovers, cluster) { request, _, sender in
        guard let offer = try? JSONDecoder().decode(RoomOffer.self, from: Data(request.body)),
          let handovers = offer.handovers(from: sender)
        else { return .error(400, HTTPError.badRequest("no offer of rooms")) }
        guard let rooms = await cluster.receive(handovers) else {
          return .error(503, RoomError(.updateRoomFailed, "this node takes no rooms"))
        }
        return .json(RoomOffer.Accepted(rooms: rooms))
      },
      .forNodes("GET", ClusterListing.path, cluster) { request, _, _ in listing.own(request) },
      .forNodes("GET", NodesList.path, cluster) { _, _, _ in .json(nodes.own) },
      audience.endpoint,
    ]
  }
}
