import RoomProtocol

extension RoomState {
  /// Asks a user to take a seat; −1 for any.
  /// - Throws: 10003; 80103 for an unknown user; 80401 for the guest of a PK; 80413; 80411 where the user is invited or has asked
  ///   already; 80501; 10016; 80503; 80412 where too many are invited.
  public mutating func inviteToSeat(_ user: UserID, index: Int, by caller: Caller) throws(RoomError) {
    try checkAdmin(caller, "inviting to a seat")
    try checkMaySit(user, try visibleMember(user))
    try checkUnseated(user)
    guard invitations[user] == nil else { throw RoomError(.requestFailed, "\(user.brief) is invited already") }
    guard requests[user] == nil else {
      throw RoomError(.requestFailed, "\(user.brief) asks for a seat: acceptRequest gives it one")
    }
    if index != -1 { try checkFree(index, for: user, isAdmin: true) }
    guard invitations.count < rules.invitations else {
      throw RoomError(.requestsFull, "\(rules.invitations) users are invited already; wait for their answers")
    }
    let invitation = SeatInvitation(
      userId: user, index: index, by: caller.told, at: clock, expiresAt: clock + rules.invitationTime)
    invitations.append(invitation)
    tell(.seatInvited(invitation))
  }

  /// Takes an invitation back.
  /// - Throws: 10003; 80411 where the user is not invited.
  public mutating func cancelInvitation(of user: UserID, by caller: Caller) throws(RoomError) {
    try checkAdmin(caller, "taking an invitation back")
    guard invitations[user] != nil else {
      throw RoomError(.requestFailed, "\(user.brief) is not invited: it has answered, or the invitation is too old")
    }
    endInvitation(of: user, .cancelled, by: caller.told)
  }

  /// Takes the seat that the user is invited to, or the first free one where that is taken.
  /// - Throws: 80103; 80414 where the user is not invited any more; 80502, 80503 where there is no seat: the invitation waits on.
  public mutating func acceptInvitation(by user: UserID) throws(RoomError) -> SeatResult {
    _ = try member(user)
    guard let invitation = invitations[user] else { throw RoomError(.acceptFailed, Self.noInvitation(of: user)) }
    let index = try seat(like: invitation.index, for: user)
    endInvitation(of: user, .accepted, index: index, by: user)
    sit(user, on: index, .invited, by: invitation.by)
    return SeatResult(index: index)
  }

  /// - Throws: 80103; 80415 where the user is not invited any more.
  public mutating func rejectInvitation(by user: UserID) throws(RoomError) {
    _ = try member(user)
    guard invitations[user] != nil else { throw RoomError(.rejectFailed, Self.noInvitation(of: user)) }
    endInvitation(of: user, .rejected, by: user)
  }

  private static func noInvitation(of user: UserID) -> String {
    "\(user.brief) is not invited: the invitation was taken back, or is too old"
  }

  mutating func endInvitation(of user: UserID, _ outcome: SeatOutcome, index: Int? = nil, by: UserID = "") {
    guard invitations.remove(user) != nil else { return }
    tell(.seatInvitationEnded(SeatEndedData(userId: user, outcome: outcome, index: index, by: by)))
  }
}
