import RoomCluster
import RoomHTTPServer
import RoomNodeLink
import RoomProtocol
import RoomServer

/// The state of the cluster over REST, on every server.
package struct ClusterStatePart: ServerPart {
  /// Nil on a server that is no node of a cluster.
  private let base: ClusterPart?
  private let rooms: ClusterRoomsPart?

  package static func start(in assembly: Assembly) async throws(StartError) -> Self {
    Self(base: try await assembly.optional(ClusterPart.self), rooms: try await assembly.optional(ClusterRoomsPart.self))
  }

  package var endpoints: [Endpoint] {
    [
      Endpoint("GET", "/v1/cluster", access: .api, action: .answer { _, _ in await show() }),
      Endpoint(
        "GET", "/v1/nodes", access: .api, action: .answer { _, _ in await rooms?.people.list() ?? .json(NodesList.Answer()) }),
    ]
  }

  private struct State: Encodable {
    struct Node: Encodable {
      var node: NodeID
      var incarnation: String
      var address: String
      var region: String
      var headroom: Double
      var rooms: Int
      var isSelf: Bool
      /// Nil without a link from this node.
      var link: Link?
    }

    struct Link: Encodable {
      var state: String
      /// ms.
      var roundTrip: Double?
      /// bps.
      var bitrate: Int64
      /// The fraction of datagrams that were lost before repairs, 0 to 1.
      var loss: Double
      /// What the path carries, bps; nil while no limit is known.
      var limit: Int?
      /// Bytes of video that wait for the path.
      var waiting: Int
      /// Wanted streams that the path does not carry.
      var held: Int

      init(_ status: OpenLink.Status) {
        state =
          switch status.liveness {
          case .waiting: "waiting"
          case .live: "live"
          case .silent: "silent"
          case .dead: "dead"
          }
        roundTrip = status.estimate.roundTrip.map { Double($0) / 1000 }
        (bitrate, loss) = (status.estimate.bitrate, status.estimate.loss)
        (limit, waiting, held) = (status.adaptation.limit, status.adaptation.waiting, status.adaptation.held)
      }
    }

    struct Lease: Encodable {
      var room: RoomName
      var fence: Int64
    }

    var enabled: Bool
    /// Whether the node may become the owner of rooms.
    var ready = false
    /// Whether Redis answers.
    var store = false
    /// Whether the node keeps its rooms by promises of the others.
    var promised = false
    /// How long the node keeps its rooms without another renewal; ms.
    var authority: Int64?
    var nodes: [Node] = []
    /// The rooms of this node, the first thousand by name.
    var leases: [Lease] = []
    /// Rooms of nodes that have died, which wait for another node.
    var orphans = 0
    var edges = EdgeCounts()
  }

  private static let shownLeases = 1000

  private func show() async -> HTTPResponse {
    guard let base else { return .json(State(enabled: false)) }
    let node = base.cluster.node
    let own = node.incarnation
    let members = node.membership.members.values.sorted { $0.incarnation.node < $1.incarnation.node }
    return .json(
      State(
        enabled: true, ready: node.isReady, store: base.cluster.store.redis.session != nil, promised: node.restsOnPromises,
        authority: node.authority.map { max(0, $0) / 1000 },
        nodes: members.map { member in
          State.Node(
            node: member.incarnation.node, incarnation: "\(member.incarnation)", address: member.report.address,
            region: member.report.region, headroom: member.report.headroom, rooms: member.report.rooms,
            isSelf: member.incarnation == own, link: base.links.status(of: member.incarnation).map { State.Link($0) })
        },
        leases: node.owned.sorted { $0.room < $1.room }.prefix(Self.shownLeases).map {
          State.Lease(room: $0.room, fence: $0.fence)
        }, orphans: node.orphans, edges: rooms?.edges ?? EdgeCounts()))
  }
}
