import RoomProtocol

extension RoomState {
  /// Invites other rooms to a PK of the hosts, or to the one that runs. `pkInvitationEnded` reports the outcome for each.
  /// - Parameter id: unique over all rooms.
  /// - Throws: 10003; 10012 if this room is in a PK; 10013 if the PK to join does not run here; 80702 for the room itself, without
  ///   a host on seat 0, if an invitation to or from another room, or the search for an opponent, must end first, and for too
  ///   many rooms.
  public mutating func invitePK(_ params: PKInviteParams, id: PKID, by caller: Caller) throws(RoomError) -> PKInviteResult {
    try checkAdmin(caller, "inviting to a PK")
    if let running = params.pkId { try checkRunning(running) } else { try checkIdle() }
    if let duration = params.duration, !rules.pkDurations.contains(duration) {
      throw RoomError(.pkInviteFailed, "duration: 10 to 86400 seconds")
    }
    if let error = params.rules?.validationError { throw RoomError(.pkInviteFailed, "rules.\(error)") }
    try checkNoSearch()
    let invitees = [PKInvitee(room: params.room, userId: params.userId, team: params.team)] + (params.others ?? [])
    try check(invitees, params)
    guard let host = connectedHost else {
      throw RoomError(.pkInviteFailed, "there is no host: seat 0 needs a connected user")
    }
    let isMeeting =
      params.pkId != nil || params.others != nil || params.rules != nil || params.team != nil || params.ownTeam != nil
    guard !isMeeting || params.mode ?? .bridge == .bridge else {
      throw RoomError(.pkInviteFailed, "way: the anchors of a PK of several rooms do not move")
    }
    let sent = invitees.indices.map { index in
      let invitee = invitees[index]
      let terms = isMeeting ? terms(params, id, of: invitee) : nil
      return PKInvitation(
        pkId: index == 0 ? id : PKID("\(id).\(index)"), from: PKSide(room: name, userId: host),
        to: PKSide(room: invitee.room, userId: invitee.userId ?? ""), mode: params.mode ?? .bridge, by: caller.eventUserID,
        at: clock, expiresAt: clock + rules.pkInvitationTime, duration: params.duration, terms: terms)
    }
    if params.pkId == nil { pk.ownTeam = params.ownTeam }
    for invitation in sent {
      pk.appendOutgoing(invitation)
      announce(.pkInvited(invitation), to: .admins)
      sendInvitation(invitation)
    }
    return PKInviteResult(pkId: id, expiresAt: clock + rules.pkInvitationTime)
  }

  private func terms(_ params: PKInviteParams, _ id: PKID, of invitee: PKInvitee) -> PKTerms {
    guard let running = pk.running else { return PKTerms(pkId: id, team: invitee.team, rules: params.rules) }
    return PKTerms(
      pkId: running.info.pkId, team: invitee.team, rules: running.info.rules, rooms: [name] + running.peers.map(\.room))
  }

  private func check(_ invitees: [PKInvitee], _ params: PKInviteParams) throws(RoomError) {
    let limit = pk.running?.meeting?.charter.rules?.rooms ?? params.rules?.rooms ?? rules.pkRooms
    guard 1 + (pk.running?.peers.count ?? 0) + pk.outgoingInvitations.count + invitees.count <= limit else {
      throw RoomError(.pkInviteFailed, "the maximum is \(limit) rooms in a PK, with those that are invited")
    }
    if params.pkId == nil, let waiting = pk.outgoingInvitation {
      throw RoomError(.pkInviteFailed, "an invitation to room \(waiting.to.room.brief) is pending: cancel it with cancelPK")
    }
    guard Set(invitees.map(\.room)).count == invitees.count else {
      throw RoomError(.pkInviteFailed, "others: each room once")
    }
    guard ([params.ownTeam] + invitees.map(\.team)).allSatisfy({ (0...8).contains($0 ?? 0) }) else {
      throw RoomError(.pkInviteFailed, "team: 0 to 8")
    }
    for invitee in invitees {
      guard invitee.room != name, !invitee.room.isEmpty else {
        throw RoomError(.pkInviteFailed, "room: must be another room than \(name)")
      }
      guard !isKeptApart(from: invitee.room), pk.running.map({ mayMeet(invitee.room, $0) }) ?? true else {
        throw Self.keptApart(invitee.room)
      }
      if let waiting = pk.invitations.first(where: { $0.from.room == invitee.room }) {
        throw RoomError(
          .pkInviteFailed, "room \(invitee.room.brief) has invited this one: call acceptPK with \(waiting.pkId)")
      }
      if pk.running?[peer: invitee.room] != nil || pk.outgoingInvitations.contains(where: { $0.to.room == invitee.room }) {
        throw RoomError(.pkInviteFailed, "room \(invitee.room.brief) is in the PK, or invited to it")
      }
    }
  }

  private func checkRunning(_ id: PKID) throws(RoomError) {
    guard let info = pk.info, info.pkId == id, info.result == nil else {
      throw RoomError(.roomNotInPK, "this room is not in the PK \(id)")
    }
    guard info.mode == .bridge else {
      throw RoomError(.pkInviteFailed, "no room can join a PK whose anchor moved")
    }
  }

  /// Cancels the room's own invitation.
  /// - Throws: 10003; 80703 if it is no longer pending.
  public mutating func cancelPK(_ id: PKID, by caller: Caller) throws(RoomError) {
    try checkAdmin(caller, "cancelling an invitation to a PK")
    guard pk.isOutgoing(id) else {
      throw RoomError(.pkCancelFailed, "this room has no such pending invitation: it was answered or has expired")
    }
    cancelOutgoing(.cancelled, only: id, by: caller.eventUserID)
  }

  /// Accepts the other room's invitation. `pkBegan` reports that the PK runs; `pkInvitationEnded` reports that the other room
  /// withdrew meanwhile.
  /// - Throws: 10003; 10012; 80704 if the invitation is no longer pending, or the invited host is not present.
  public mutating func acceptPK(_ id: PKID, by caller: Caller) throws(RoomError) {
    try checkAdmin(caller, "accepting a PK")
    try checkIdle()
    let invitation = try incoming(id)
    if let room = keptApart(invitation) { throw Self.keptApart(room) }
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
    guard let invitation = pk[id], !pk.isOutgoing(id), pk.accepted?.pkId != id else {
      throw RoomError(.pkAnswerFailed, "no such invitation is pending: it was answered, cancelled or has expired")
    }
    return invitation
  }

  mutating func accept(_ invitation: PKInvitation, by user: UserID) {
    if search?.match?.pkId != invitation.pkId { endSearch(.cancelled, by: user) }
    pk.accepted = PKHalf.Accepted(pkId: invitation.pkId, by: user, until: clock + rules.pkBeginTime)
    cancelOutgoing(.cancelled, by: user)
    send(.accept(host: invitation.to.userId), about: invitation.pkId, to: invitation.from.room)
  }

  mutating func sendInvitation(_ invitation: PKInvitation) {
    send(
      .invite(
        host: invitation.from.userId, user: invitation.to.userId, mode: invitation.mode, by: invitation.by,
        duration: invitation.duration, terms: invitation.terms),
      about: invitation.pkId, to: invitation.to.room)
  }

  /// Ends the room's own invitations and notifies the other rooms.
  /// - Parameter id: the only one to end; nil for all.
  mutating func cancelOutgoing(_ outcome: PKOutcome, only id: PKID? = nil, by user: UserID = "") {
    for invitation in pk.outgoingInvitations where id ?? invitation.pkId == invitation.pkId {
      send(.cancel(outcome), about: invitation.pkId, to: invitation.to.room)
      endPKInvitation(invitation.pkId, outcome, by: user)
    }
  }

  /// Ends an invitation of either direction in this room.
  mutating func endPKInvitation(
    _ id: PKID, _ outcome: PKOutcome, reason: String? = nil, error: RoomError? = nil, by user: UserID = ""
  ) {
    let invitation = pk[id]
    let crossed = invitation?.to.room == pk.crossed?.from.room ? pk.crossed : nil
    pk.conclude(id)
    if search?.match?.pkId == id {
      if outcome != .accepted { matchFailed(id) }
    } else if invitation != nil {
      announce(
        .pkInvitationEnded(PKInvitationEndedData(pkId: id, outcome: outcome, reason: reason, error: error, by: user)),
        to: .admins)
    }
    if let crossed {
      pk.crossed = nil
      take(crossed)
    }
  }
}
