import RoomCluster
import RoomProtocol
import RoomServer

/// A question for a promise, as one node sends it to another.
struct PromiseQuestion: Codable, Sendable {
  var asker: String
  var asked: String
  var generation: String

  init(_ request: PromiseRequest) {
    (asker, asked, generation) = (request.asker.description, request.asked.description, request.generation)
  }

  /// Nil if a name is none.
  var request: PromiseRequest? {
    guard let asker = Incarnation(asker), let asked = Incarnation(asked) else { return nil }
    return PromiseRequest(asker: asker, asked: asked, generation: generation)
  }
}

/// Rooms that a node gives to another one.
struct RoomOffer: Codable, Sendable {
  struct Room: Codable, Sendable {
    var room: RoomName
    var fence: Int64
  }

  /// The answer: the rooms that the other node owns now.
  struct Accepted: Codable, Sendable { var rooms: [RoomName] }

  /// Maximum number of rooms in an offer.
  private static let limit = 16

  var owner: String
  var rooms: [Room]

  init(_ handovers: [Handover]) {
    owner = handovers.first?.owner.description ?? ""
    rooms = handovers.map { Room(room: $0.room, fence: $0.fence) }
  }

  /// Returns what a node gives; nil if a name is none, or if another node owns the rooms.
  func handovers(from node: NodeID) -> [Handover]? {
    guard let owner = Incarnation(owner), owner.node == node, rooms.count <= Self.limit,
      rooms.allSatisfy({ NameRule.allows($0.room.rawValue) })
    else { return nil }
    return rooms.map { Handover(room: $0.room, owner: owner, fence: $0.fence) }
  }
}
