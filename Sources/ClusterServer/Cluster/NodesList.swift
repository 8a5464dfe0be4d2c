import Foundation
import RoomCluster
import RoomEngine
import RoomHTTPServer
import RoomProtocol
import RoomServer

/// The nodes of the cluster with the people that each serves.
struct NodesList: Sendable {
  /// The people whose media a node knows: those of its rooms, by the node that serves them, and the viewers of streams at that node.
  struct People: Codable, Sendable {
    struct Count: Codable, Sendable {
      var participants = 0
      var viewers = 0
    }

    var byNode: [String: Count] = [:]
  }

  struct Answer: Encodable {
    struct Node: Encodable {
      var node: NodeID
      var region: String
      var address: String
      var headroom: Double
      var rooms: Int
      var isSelf: Bool
      /// Of rooms of any node, at this one.
      var participants: Int
      var viewers: Int
    }

    var nodes: [Node] = []
    /// Nodes that did not answer: people of their rooms are not counted.
    var unanswered: [NodeID] = []
  }

  static let path = "/v1/cluster/people"

  let cluster: Cluster
  let places: AudiencePlaces
  let summaries: @Sendable () -> [RoomSummary]
  /// The people who watch streams at this node.
  let streamViewers: @Sendable () -> Int

  /// What this node knows.
  var own: People {
    var people = People()
    people.byNode["\(places.own().node)", default: .init()].viewers += streamViewers()
    for room in summaries() {
      for (place, count) in places.people(of: room) {
        people.byNode["\(place.node)", default: .init()].participants += count.participants
        people.byNode["\(place.node)", default: .init()].viewers += count.viewers
      }
    }
    return people
  }

  /// Lists all nodes. A node that does not answer in time is named.
  func list() async -> HTTPResponse {
    var asked = await cluster.ask(cluster.others) { _ in HTTPRequest(method: "GET", target: Self.path, headers: []) }
    let others = asked.read { try? JSONDecoder().decode(People.self, from: Data($0.response.body)) }
    let counts = ([own] + others).reduce(into: [String: People.Count]()) { sum, known in
      sum.merge(known.byNode) {
        People.Count(participants: $0.participants &+ $1.participants, viewers: $0.viewers &+ $1.viewers)
      }
    }
    let node = cluster.node
    return .json(
      Answer(
        nodes: node.membership.members.values.sorted { $0.incarnation.node < $1.incarnation.node }.map { member in
          let count = counts["\(member.incarnation.node)"] ?? .init()
          return Answer.Node(
            node: member.incarnation.node, region: member.report.region, address: member.report.address,
            headroom: member.report.headroom, rooms: member.report.rooms, isSelf: member.incarnation == node.incarnation,
            participants: count.participants, viewers: count.viewers)
        }, unanswered: asked.missing.sorted()))
  }
}
