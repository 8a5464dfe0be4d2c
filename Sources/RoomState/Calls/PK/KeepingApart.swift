import RoomProtocol

// Rooms that an operator keeps apart. Each room knows its own list; those in a PK tell it to the others.

extension RoomState {
  /// Ends what the room has begun with rooms that the rules keep apart from it.
  public mutating func keepApart() {
    for invitation in pk.outgoingInvitations where isKeptApart(from: invitation.to.room) {
      cancelOutgoing(.cancelled, only: invitation.pkId)
    }
    if pk.running?.peers.contains(where: { isKeptApart(from: $0.room) }) ?? false { endPK(.apart, by: "") }
  }

  func isKeptApart(from room: RoomName) -> Bool { rules.pkApart?.contains(room) ?? false }

  /// Returns whether no room of the PK keeps apart from another one.
  func mayMeet(_ room: RoomName, _ running: RunningPK) -> Bool {
    !isKeptApart(from: room) && !running.peers.contains { $0.apart?.contains(room) ?? false }
  }

  /// Returns a room that an invitation would let this one meet although they are kept apart.
  func keptApart(_ invitation: PKInvitation) -> RoomName? {
    ([invitation.from.room] + (invitation.terms?.rooms ?? [])).first(where: isKeptApart)
  }

  static func keptApart(_ room: RoomName) -> RoomError {
    RoomError(.pkInviteFailed, "room \(room.brief) never meets this one: an operator keeps them apart")
  }
}
