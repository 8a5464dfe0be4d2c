import RoomCluster
import RoomEngine
import RoomLiveOrigin
import RoomProtocol
import RoomSFU

/// A node that serves viewers.
package struct AudiencePlace: Sendable, Hashable {
  package var node: NodeID
  package var region: String

  package init(node: NodeID, region: String) { (self.node, self.region) = (node, region) }
}

/// The nodes that serve the people of this node's rooms and streams.
package struct AudiencePlaces: Sendable {
  /// This node.
  package var own: @Sendable () -> AudiencePlace
  /// Returns the node that has an annex of a room's media; nil if the annex has ended.
  package var place: @Sendable (MediaAnnexID, RoomName) -> AudiencePlace?
  /// Returns the viewers of a stream at other nodes.
  package var viewers: @Sendable (StreamPath) -> [AudiencePlace: Int]

  package init(
    own: @escaping @Sendable () -> AudiencePlace,
    place: @escaping @Sendable (MediaAnnexID, RoomName) -> AudiencePlace?,
    viewers: @escaping @Sendable (StreamPath) -> [AudiencePlace: Int]
  ) {
    (self.own, self.place, self.viewers) = (own, place, viewers)
  }

  /// Returns the people of a room, without the viewers of its stream, by node.
  package func people(of room: RoomSummary) -> [AudiencePlace: Crowd.Count] {
    var here = Crowd.Count(participants: room.users.count, viewers: room.viewers)
    var people: [AudiencePlace: Crowd.Count] = [:]
    for (annex, count) in room.elsewhere {
      here = here - count
      // The sessions of an annex that has ended are about to end.
      guard let place = place(annex, room.name) else { continue }
      people[place] = (people[place] ?? Crowd.Count()) + count
    }
    let own = own()
    people[own] = (people[own] ?? Crowd.Count()) + here
    return people
  }

  /// Returns the people who watch a room or the room's stream, each once, by node.
  /// - Parameter streamViewers: the viewers of the room's stream at all nodes; nil if the room has none.
  package func viewers(of room: RoomSummary, streamViewers: Int?) -> [AudiencePlace: Int] {
    var viewers = people(of: room).mapValues(\.viewers)
    guard let all = streamViewers, let stream = room.watchedStream else { return viewers }
    let elsewhere = self.viewers(stream)
    viewers.merge(elsewhere, uniquingKeysWith: +)
    viewers[own(), default: 0] += max(0, all - elsewhere.values.reduce(0, +))
    return viewers
  }
}
