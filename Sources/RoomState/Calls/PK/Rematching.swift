import RoomProtocol

extension RoomState {
  /// Invites the rooms of the last PK again, with the same teams, rules and duration.
  /// - Parameter id: unique over all rooms.
  /// - Throws: 10013 if there was no PK; as `invitePK`.
  mutating func rematchPK(id: PKID, by caller: Caller) throws(RoomError) -> PKInviteResult {
    try checkAdmin(caller, "inviting to a PK")
    try checkIdle()
    guard let last = pk.lastMet, let first = last.rooms.first else {
      throw RoomError(.roomNotInPK, "this room was in no PK yet")
    }
    var params = PKInviteParams(room: first.room, mode: last.mode, duration: last.duration)
    (params.team, params.ownTeam, params.rules) = (first.team, last.ownTeam, last.rules)
    if last.isMeeting { params.others = Array(last.rooms.dropFirst()) }
    return try invitePK(params, id: id, by: caller)
  }
}
