import RoomProtocol

extension RoomState {
  /// Invites a user to a seat; −1 for any.
  /// - Throws: 10003; 80103 for an unknown user; 80401 for the guest of a PK; 80413; 80411 if the user is already invited or
  ///   has a pending request; 80501; 10016; 80503; 80412 if too many invitations are pending.
  public mutating func inviteToSeat(_ user: UserID, index: Int, by caller: Caller) throws(RoomError) {
    try checkAdmin(caller, "inviting to a seat")
    try checkMaySit(user, try visibleMember(user))
    try checkUnseated(user)
    guard invitations[user] == nil else { throw RoomError(.requestFailed, "\(user.brief) is already invited") }
    guard requests[user] == nil else {
      throw RoomError(.requestFailed, "\(user.brief) has requested a seat already; acceptRequest accepts the request")
    }
    if index != -1 { try checkFree(index, for: user, isAdmin: true) }
    guard invitations.count < rules.invitations else {
      throw RoomError(.requestsFull, "\(rules.invitations) users have pending invitations; wait for their answers")
    }
    let invitation = SeatInvitation(
      userId: user, index: index, by: caller.eventUserID, at: clock, expiresAt: clock + rules.invitationTime)
    invitations.append(invitation)
    announce(.seatInvited(invitation))
  }

  /// Cancels an invitation.
  /// - Throws: 10003; 80411 if the user is not invited.
  public mutating func cancelInvitation(of user: UserID, by caller: Caller) throws(RoomError) {
    try checkAdmin(caller, "cancelling an invitation")
    guard invitations[user] != nil else {
      throw RoomError(.requestFailed, "\(user.brief) is not invited: the invitation was answered or has expired")
    }
    endInvitation(of: user, .cancelled, by: caller.eventUserID)
  }

  /// Takes the seat that the user is invited to, or the first free one if that is taken.
  /// - Throws: 80103; 80414 if the user is no longer invited; 80502, 80503 if no seat is available: the invitation stays
  ///   pending.
  public mutating func acceptInvitation(by user: UserID) throws(RoomError) -> SeatResult {
    _ = try member(user)
    guard let invitation = invitations[user] else { throw RoomError(.acceptFailed, Self.noInvitation(of: user)) }
    let index = try seat(like: invitation.index, for: user)
    endInvitation(of: user, .accepted, index: index, by: user)
    sit(user, on: index, .invited, by: invitation.by)
    return SeatResult(index: index)
  }

  /// Rejects an invitation.
  /// - Throws: 80103; 80415 if the user is no longer invited.
  public mutating func rejectInvitation(by user: UserID) throws(RoomError) {
    _ = try member(user)
    guard invitations[user] != nil else { throw RoomError(.rejectFailed, Self.noInvitation(of: user)) }
    endInvitation(of: user, .rejected, by: user)
  }

  private static func noInvitation(of user: UserID) -> String {
    "\(user.brief) is not invited: the invitation was cancelled or has expired"
  }

  mutating func endInvitation(of user: UserID, _ outcome: SeatOutcome, index: Int? = nil, by: UserID = "") {
    guard invitations.remove(user) != nil else { return }
    announce(.seatInvitationEnded(SeatEndedData(userId: user, outcome: outcome, index: index, by: by)))
  }
}
