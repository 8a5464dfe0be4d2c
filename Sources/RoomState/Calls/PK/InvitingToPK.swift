import RoomProtocol

extension RoomState {
  /// Invites another room to a PK of the two hosts. `pkInvitationEnded` reports the outcome.
  /// - Parameter id: unique over all rooms.
  /// - Throws: 10003; 10012 if this room is in a PK; 80702 for the room itself, without a host on seat 0, and if an invitation
  ///   to or from another room is pending that must end first.
  public mutating func invitePK(_ params: PKInviteParams, id: PKID, by caller: Caller) throws(RoomError) -> PKInviteResult {
    try checkAdmin(caller, "inviting to a PK")
    try checkIdle()
    guard params.room != name, !params.room.isEmpty else {
      throw RoomError(.pkInviteFailed, "room: must be another room than \(name)")
    }
    if let duration = params.duration, !rules.pkDurations.contains(duration) {
      throw RoomError(.pkInviteFailed, "duration: 10 to 86400 seconds")
    }
    if let waiting = pk.outgoingInvitation {
      throw RoomError(.pkInviteFailed, "an invitation to room \(waiting.to.room.brief) is pending: cancel it with cancelPK")
    }
    if let waiting = pk.invitations.first(where: { $0.from.room == params.room }) {
      throw RoomError(.pkInviteFailed, "room \(params.room.brief) has invited this one: call acceptPK with \(waiting.pkId)")
    }
    guard let host = connectedHost else {
      throw RoomError(.pkInviteFailed, "there is no host: seat 0 needs a connected user")
    }
    let invitation = PKInvitation(
      pkId: id, from: PKSide(room: name, userId: host), to: PKSide(room: params.room, userId: params.userId ?? ""),
      mode: params.mode ?? .bridge, by: caller.eventUserID, at: clock,
      expiresAt: clock + rules.pkInvitationTime, duration: params.duration)
    pk.append(invitation)
    pk.outgoing = id
    announce(.pkInvited(invitation), to: .admins)
    sendInvitation(invitation)
    return PKInviteResult(pkId: id, expiresAt: invitation.expiresAt)
  }

  /// Cancels the room's own invitation.
  /// - Throws: 10003; 80703 if it is no longer pending.
  public mutating func cancelPK(_ id: PKID, by caller: Caller) throws(RoomError) {
    try checkAdmin(caller, "cancelling an invitation to a PK")
    guard pk.outgoing == id else {
      throw RoomError(.pkCancelFailed, "this room has no such pending invitation: it was answered or has expired")
    }
    cancelOutgoing(.cancelled, by: caller.eventUserID)
  }

  /// Accepts the other room's invitation. `pkBegan` reports that the PK runs; `pkInvitationEnded` reports that the other room
  /// withdrew meanwhile.
  /// - Throws: 10003; 10012; 80704 if the invitation is no longer pending, or the invited host is not present.
  public mutating func acceptPK(_ id: PKID, by caller: Caller) throws(RoomError) {
    try checkAdmin(caller, "accepting a PK")
    try checkIdle()
    let invitation = try incoming(id)
    guard connectedHost == invitation.to.userId else {
      throw RoomError(.pkAnswerFailed, "\(invitation.to.userId.brief), who is invited, must be on seat 0 and connected")
    }
    accept(invitation, by: caller.eventUserID)
  }

  /// Rejects the other room's invitation.
  /// - Parameter reason: a text for the other room; at most 256 bytes.
  /// - Throws: 10003; 80704 if the invitation is no longer pending, or the reason is too long.
  public mutating func rejectPK(_ id: PKID, reason: String? = nil, by caller: Caller) throws(RoomError) {
    try checkAdmin(caller, "rejecting a PK")
    let invitation = try incoming(id)
    if let reason, reason.utf8.count > 256 {
      throw RoomError(.pkAnswerFailed, "reason: \(reason.utf8.count) bytes; the maximum is 256")
    }
    send(.reject(.rejected, reason: reason, error: nil), about: id, to: invitation.from.room)
    endPKInvitation(id, .rejected, reason: reason, by: caller.eventUserID)
  }

  // MARK: Shared checks

  func checkIdle() throws(RoomError) {
    if let other = pk.info {
      throw RoomError(.roomInPK, "this room is in a PK with room \(other.room.brief): quitPK ends it")
    }
    if pk.accepted != nil { throw RoomError(.roomInPK, "this room has just accepted a PK, which is about to start") }
  }

  var connectedHost: UserID? { seats.host.flatMap { members[$0]?.connected ?? false ? $0 : nil } }

  private func incoming(_ id: PKID) throws(RoomError) -> PKInvitation {
    guard let invitation = pk[id], pk.outgoing != id, pk.accepted?.pkId != id else {
      throw RoomError(.pkAnswerFailed, "no such invitation is pending: it was answered, cancelled or has expired")
    }
    return invitation
  }

  mutating func accept(_ invitation: PKInvitation, by user: UserID) {
    pk.accepted = PKHalf.Accepted(pkId: invitation.pkId, by: user, until: clock + rules.pkBeginTime)
    cancelOutgoing(.cancelled, by: user)
    send(.accept(host: invitation.to.userId), about: invitation.pkId, to: invitation.from.room)
  }

  mutating func sendInvitation(_ invitation: PKInvitation) {
    send(
      .invite(
        host: invitation.from.userId, user: invitation.to.userId, mode: invitation.mode, by: invitation.by,
        duration: invitation.duration),
      about: invitation.pkId, to: invitation.to.room)
  }

  /// Ends the room's own invitation, if any, and notifies the other room.
  mutating func cancelOutgoing(_ outcome: PKOutcome, by user: UserID = "") {
    guard let invitation = pk.outgoingInvitation else { return }
    send(.cancel(outcome), about: invitation.pkId, to: invitation.to.room)
    endPKInvitation(invitation.pkId, outcome, by: user)
  }

  /// Ends an invitation of either direction in this room.
  mutating func endPKInvitation(
    _ id: PKID, _ outcome: PKOutcome, reason: String? = nil, error: RoomError? = nil, by user: UserID = ""
  ) {
    guard pk[id] != nil else { return pk.conclude(id) }
    let crossed = pk.outgoing == id ? pk.crossed : nil
    pk.conclude(id)
    announce(
      .pkInvitationEnded(PKInvitationEndedData(pkId: id, outcome: outcome, reason: reason, error: error, by: user)), to: .admins
    )
    if let crossed {
      pk.crossed = nil
      take(crossed)
    }
  }
}
