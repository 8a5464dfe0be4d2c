import RoomCluster
import RoomHTTPServer
import RoomProtocol

/// Answers requests about a room at the room's owner, also while the room moves from one node to another.
struct OwnerRoute: Sendable {
  let cluster: Cluster
  /// Waits until a room that this node has just become the owner of is open.
  let restored: @Sendable (RoomName) async -> Void

  /// How often a request follows a room that moves. A move waits for the store, and a room seldom moves twice in a row.
  private static let attempts = 4
  /// What a node answers to another one that takes it for the owner of a room, and is wrong (RFC 9110, 15.5.20).
  private static let misdirected = 421

  /// Answers a request about a room.
  /// - Parameters:
  ///   - isPassedOn: whether another node sent the request, because it took this one for the owner. That node asks for the owner
  ///     again if it was wrong.
  ///   - here: answers at this node, also if the room has no owner. Asked again if it refuses because the room begins to move.
  ///   - there: passes the request to the owner.
  /// - Throws: if the owner can't be found, or changes too often.
  func answer(
    about room: RoomName, isPassedOn: Bool, here: () async -> HTTPResponse, there: (ClusterMember) async -> HTTPResponse
  ) async throws(ClusterError) -> HTTPResponse {
    for _ in 0..<Self.attempts {
      // Waits while the room moves, or is restored.
      switch try await cluster.node.owner(of: room, isRestored: true) {
      case nil: return await here()
      case .here:
        await restored(room)
        let response = await here()
        guard response.status >= 400, cluster.node.isGiving(room) else { return response }
      case .there where isPassedOn: return Self.refusal
      case .there(let member):
        let response = await there(member)
        guard response.status == Self.misdirected else { return response }
      }
    }
    throw .ownerless
  }

  static var refusal: HTTPResponse {
    .error(misdirected, RoomError(.joinFailed, "the room is at another node"))
  }
}
