import RoomProtocol
import RoomState

/// Another room, as a room calls it for a PK: one of this server, or one at another node of its cluster.
package protocol PeerRoom: Sendable {
  /// Delivers a message about a PK.
  /// - Returns: false if there is no such room.
  func receive(_ message: PKMessage) async -> Bool

  /// Starts lending a user's tracks to another room.
  /// - Parameter send: sends the borrowing room all tracks that are currently lent. It does not block, and keeps the order.
  func startLending(_ user: UserID, to room: RoomName, send: @escaping @Sendable ([LentTrack]) -> Void) async

  /// Ends the lending.
  func stopLending(to room: RoomName) async
}

extension Room: PeerRoom {
  package func startLending(_ user: UserID, to room: RoomName, send: @escaping @Sendable ([LentTrack]) -> Void) {
    lend(user, to: room, send: send)
  }

  package func stopLending(to room: RoomName) { endLending(to: room) }
}
