import RoomProtocol

extension RoomState {
  /// Looks for an opponent. `pkMatchEnded` reports the outcome; `pkBegan` follows if there is one.
  /// - Parameter ticket: unique over all rooms.
  /// - Throws: 10003; 10012 if this room is in a PK; 80702 for invalid parameters, without a connected host on seat 0, during
  ///   another search, and if the room has invited another one.
  public mutating func matchPK(
    _ params: PKMatchParams, ticket: TicketID, by caller: Caller
  ) throws(RoomError) -> PKMatchResult {
    try checkAdmin(caller, "finding an opponent")
    try checkIdle()
    try checkNoSearch()
    if let waiting = pk.outgoingInvitation {
      throw RoomError(.pkInviteFailed, "an invitation to room \(waiting.to.room.brief) is pending: cancel it with cancelPK")
    }
    if let duration = params.duration, !rules.pkDurations.contains(duration) {
      throw RoomError(.pkInviteFailed, "duration: 10 to 86400 seconds")
    }
    if let error = params.validationError { throw RoomError(.pkInviteFailed, error) }
    guard let host = connectedHost else {
      throw RoomError(.pkInviteFailed, "there is no host: seat 0 needs a connected user")
    }
    let ticket = PKTicket(ticket, params, host: host, by: caller.eventUserID, at: clock)
    search = PKSearch(ticket: ticket, renewsAt: clock)
    announce(.pkMatching(ticket), to: .admins)
    enterMatching()
    return PKMatchResult(ticket: ticket.ticket, expiresAt: ticket.expiresAt)
  }

  /// Ends the search for an opponent.
  /// - Throws: 10003; 80703 if there is none.
  public mutating func cancelMatch(by caller: Caller) throws(RoomError) {
    try checkAdmin(caller, "ending the search for an opponent")
    guard search != nil else { throw RoomError(.pkCancelFailed, "this room does not look for an opponent") }
    endSearch(.cancelled, by: caller.eventUserID)
  }

  func checkNoSearch() throws(RoomError) {
    if search != nil {
      throw RoomError(.pkInviteFailed, "this room looks for an opponent: cancelMatch ends the search")
    }
  }

  // MARK: The queue

  /// Enters the queue, or confirms the place in it. A room whose host is not connected waits outside.
  private mutating func enterMatching(after failed: PKID? = nil) {
    guard let ticket = search?.ticket else { return }
    search?.renewsAt = clock + rules.pkMatchingTime
    if connectedHost == ticket.userId { emit(.enterMatching(ticket, after: failed)) }
  }

  /// Leaves the queue while the searching host is not connected. The ticket keeps its time.
  mutating func seekerIsConnected(_ connected: Bool) {
    guard let ticket = search?.ticket else { return }
    if connected { return enterMatching() }
    failMatch()
    if search != nil { emit(.leaveMatching(ticket.ticket)) }
  }

  /// Handles the time at which the search expires, is confirmed, or did not lead to a PK.
  mutating func renewSearch() {
    guard let search else { return }
    if search.match != nil {
      failMatch()
    } else if search.ticket.expiresAt <= clock {
      endSearch(.timedOut)
    } else {
      enterMatching()
    }
  }

  // MARK: The match

  /// Handles the match with another room, which may be reported several times.
  mutating func matched(_ id: PKID, with room: RoomName) {
    if pk.running?.info.pkId == id || search?.match?.pkId == id { return }
    guard let ticket = search?.ticket, search?.match == nil, !pk.knows(id), connectedHost == ticket.userId, !pk.isBusy,
      !isKeptApart(from: room)
    else {
      endPKInvitation(id, .failed)
      send(.end(.failed, by: ""), about: id, to: room)
      if search?.match == nil { enterMatching(after: id) }
      return
    }
    search?.match = PKSearch.Match(pkId: id, room: room, until: clock + rules.pkBeginTime)
    guard name < room else { return }
    let invitation = PKInvitation(
      pkId: id, from: PKSide(room: name, userId: ticket.userId), to: PKSide(room: room, userId: ""), mode: ticket.mode,
      by: ticket.by, at: clock, expiresAt: clock + rules.pkInvitationTime, duration: ticket.duration)
    pk.appendOutgoing(invitation)
    // The queue's own message to the other room may be lost.
    send(.matched, about: id, to: room)
    sendInvitation(invitation)
  }

  /// Accepts the invitation of the room that this one is matched with. Returns false for another invitation.
  mutating func takeMatched(_ invitation: PKInvitation) -> Bool {
    guard let search, let match = search.match, match.pkId == invitation.pkId, match.room == invitation.from.room else {
      return false
    }
    guard search.ticket.userId != invitation.from.userId else {
      failMatch()
      return true
    }
    var invitation = invitation
    invitation.to.userId = search.ticket.userId
    pk.append(invitation)
    accept(invitation, by: search.ticket.by)
    return true
  }

  /// Gives up the match and waits for another one.
  private mutating func failMatch() {
    guard let match = search?.match else { return }
    send(.end(.failed, by: ""), about: match.pkId, to: match.room)
    endPKInvitation(match.pkId, .failed)
  }

  /// Waits for another match at the old place, because the PK did not begin. The search may have expired meanwhile.
  mutating func matchFailed(_ id: PKID) {
    search?.match = nil
    if let search, search.ticket.expiresAt <= clock { endSearch(.timedOut) } else { enterMatching(after: id) }
  }

  // MARK: The end

  /// Ends the search, because a PK begins.
  mutating func concludeSearch(with info: PKInfo) {
    guard let search else { return }
    guard search.match?.pkId == info.pkId else { return endSearch(.cancelled) }
    self.search = nil
    emit(.leaveMatching(search.ticket.ticket))
    announce(.pkMatchEnded(PKMatchEndedData(ticket: search.ticket.ticket, outcome: .matched, pk: info)), to: .admins)
  }

  mutating func endSearch(_ outcome: PKMatchOutcome, by user: UserID = "") {
    guard let ticket = search?.ticket else { return }
    let match = search?.match
    search = nil
    if let match {
      pk.conclude(match.pkId)
      send(.end(.failed, by: ""), about: match.pkId, to: match.room)
    }
    emit(.leaveMatching(ticket.ticket))
    announce(.pkMatchEnded(PKMatchEndedData(ticket: ticket.ticket, outcome: outcome, by: user)), to: .admins)
  }
}
