import RoomProtocol

extension RoomState {
  /// Mutes or unmutes another anchor in this room, or in all rooms.
  /// - Parameter room: nil for the first of the others.
  /// - Throws: 10003 for a caller that is not this side's anchor and lacks the `admin` grant, and if this room may not mute the
  ///   anchor for all; 10013.
  public mutating func mutePKPeer(
    _ muted: Bool, in room: RoomName? = nil, forAll: Bool = false, by caller: Caller
  ) throws(RoomError) {
    try checkAnchor(caller, "muting the other anchor")
    guard var running = pk.running, let other = room ?? running.peers.first?.room else { throw Self.noPK }
    if forAll { return wish(.mute(try party(other, "mute").id, muted)) }
    guard var peer = running[peer: other] else { throw Self.noPK }
    guard peer.isMuted != muted else { return }
    peer.isMuted = muted
    running[peer: other] = peer
    change(to: running, sendsUpdate: true)
  }

  /// Moves the end of the PK to a later time, in both rooms. A PK without an end gets one.
  /// - Throws: 10003 without the `admin` grant; 10001 for a number out of range, or an end more than a day away; 10013.
  public mutating func extendPK(seconds: Int, by caller: Caller) throws(RoomError) {
    try checkAdmin(caller, "extending the PK")
    guard (1...rules.pkDurations.upperBound).contains(seconds) else {
      throw RoomError(.unknownMessage, "seconds: \(seconds) is out of range; the range is 1 to \(rules.pkDurations.upperBound)")
    }
    guard var running = pk.running else { throw Self.noPK }
    let end = (running.info.endsAt ?? clock) + Int64(seconds) * 1000
    guard end <= clock + Int64(rules.pkDurations.upperBound) * 1000 else {
      throw RoomError(.unknownMessage, "seconds: the PK may last another \(rules.pkDurations.upperBound) s at most")
    }
    if running.meeting != nil { return wish(.end(at: end)) }
    running.info.endsAt = end
    change(to: running, sendsUpdate: true)
  }

  /// Resumes the PK after this side's anchor left and joined again. An anchor that resumes its session need not call it.
  /// - Throws: 80103; 10013; 10003 for anybody else; 80705 if no anchor is missing, or the anchor belongs in the other room.
  public mutating func resumePK(by user: UserID) throws(RoomError) -> PKInfo {
    _ = try member(user)
    if let host = pk.info?.host, host != user {
      throw RoomError(.noPermission, "only \(host.brief), the anchor, can resume the PK")
    }
    guard let running = pk.running else { throw Self.noPK }
    guard !running.info.connected else { throw RoomError(.pkBeginFailed, "the PK was not interrupted on this side") }
    guard running.info.mode == .bridge || !running.info.inviter else {
      throw RoomError(.pkBeginFailed, "in this PK \(user.brief) is in room \(running.info.room.brief): join that room again")
    }
    if seats.index(of: user) == nil {
      if case .taken(let other) = seats.state(of: 0) { throw RoomError(.seatTaken, "\(other.brief) sits on the host's seat") }
      sit(user, on: 0, .joined, by: user)
    }
    pk.running?.awaitsResume = false
    presenceChanged()
    return pk.info ?? running.info
  }

  /// Ends the PK for both rooms.
  /// - Throws: 80103; 10003 for a caller that is not an anchor and lacks the `admin` grant; 10013.
  public mutating func quitPK(by caller: Caller) throws(RoomError) {
    var isGuest = false
    if case .user(let user) = caller, let guestOf = members[user]?.guestOf { isGuest = guestOf == pk.info?.pkId }
    if !isGuest { try checkAnchor(caller, "ending the PK") }
    if pk.running != nil { return endPK(.quit, by: caller.eventUserID) }
    guard let accepted = pk.accepted, let invitation = pk[accepted.pkId] else { throw Self.noPK }
    send(.end(.quit, by: caller.eventUserID), about: accepted.pkId, to: invitation.from.room)
    endPKInvitation(accepted.pkId, .cancelled, by: caller.eventUserID)
  }

  static var noPK: RoomError { RoomError(.roomNotInPK, "this room is not in a PK") }

  private func checkAnchor(_ caller: Caller, _ what: String) throws(RoomError) {
    try checkPresence(caller)
    if case .user(let user) = caller, pk.info?.host == user { return }
    try checkAdmin(caller, what)
  }

  // MARK: Presence of the anchors

  /// Handles an update of the other side: a change or a keepalive.
  mutating func take(_ update: PKUpdate) {
    guard var running = pk.running, var peer = running.peers.first else { return }
    peer.silentAt = clock + rules.pkSilenceTime
    if update.version > peer.version {
      (peer.version, peer.score, peer.isAtHome, peer.mutesUs) = (
        update.version, update.score, update.atHome, update.mutesPeer
      )
      running.away = update.hasGuest && running.info.mode == .move && running.info.inviter
    }
    running[peer: peer.room] = peer
    // An end only moves to later times, so that both sides agree whatever order the updates arrive in.
    if let end = update.endsAt, end > running.info.endsAt ?? 0 { running.info.endsAt = end }
    change(to: running, sendsUpdate: false)
  }

  /// Updates the anchors' presence.
  mutating func presenceChanged() {
    guard var running = pk.running else { return }
    running.atHome = !running.awaitsResume && members[running.info.host]?.connected ?? false
    let guest = members[running.info.userId]
    running.hasGuest = guest?.guestOf == running.info.pkId && guest?.connected ?? false
    let moved = running.atHome != pk.running?.atHome || running.hasGuest != pk.running?.hasGuest
    change(to: running, sendsUpdate: moved)
  }

  /// - Parameter sendsUpdate: whether to send the other room an update.
  mutating func change(to new: RunningPK, sendsUpdate: Bool) {
    var new = new
    let before = pk.running?.info
    new.settle(now: clock, grace: rules.pkGraceTime)
    if sendsUpdate { new.version += 1 }
    pk.running = new
    if new.info != before {
      announce(.pkChanged(new.info))
      emit(.pkChanged(new.info))
    }
    guard sendsUpdate else { return }
    if new.meeting != nil { sendBeats() } else { send(.update(new.update), about: new.info.pkId, to: new.info.room) }
  }

  /// Throws for a PK token that is no longer valid.
  func checkGuest(_ user: UserID, of pkId: PKID) throws(RoomError) {
    guard let info = pk.info, info.pkId == pkId, info.mode == .move, !info.inviter, info.userId == user else {
      throw RoomError(.roomNotInPK, "the PK of this token is over, or \(user.brief) is not its anchor")
    }
  }

  /// Returns the anchor of a PK for whom the empty host's seat is reserved against the user; nil if it is not.
  func hostSeatReservation(from user: UserID) -> UserID? {
    guard let host = pk.info?.host, host != user else { return nil }
    return host
  }

  // MARK: Ending

  /// Updates the PK after a member left the room.
  mutating func anchorLeft(_ user: UserID, _ member: Member, _ reason: EndReason) {
    endPKInvitations(with: user)
    guard let info = pk.info else { return }
    let wantsEnd = reason == .left || reason == .kickedOut
    if user == info.host {
      pk.running?.awaitsResume = true
      let moves = info.mode == .move && info.inviter && reason == .left
      if wantsEnd && !moves { endPK(.quit, by: user) } else { presenceChanged() }
    } else if member.guestOf == info.pkId {
      if wantsEnd { endPK(.quit, by: user) } else { presenceChanged() }
    }
  }

  /// Updates the PK after a member lost its seat but stayed in the room.
  mutating func anchorLeftSeat(_ user: UserID, by operation: UserID) {
    endPKInvitations(with: user)
    if user == pk.info?.host { endPK(.quit, by: operation) }
  }

  /// Ends the invitations that name the user, who left, as this side's anchor.
  private mutating func endPKInvitations(with user: UserID) {
    if search?.ticket.userId == user { endSearch(.cancelled, by: user) }
    if pk.outgoingInvitation?.from.userId == user { cancelOutgoing(.cancelled) }
    for invitation in pk.invitations where invitation.to.userId == user && invitation.to.room == name {
      withdraw(invitation, because: RoomError(.pkAnswerFailed, "\(user.brief) is no longer the host of room \(name)"))
    }
  }

  /// Rejects an invitation to this room, even an accepted one.
  private mutating func withdraw(_ invitation: PKInvitation, because error: RoomError, reason: PKEndReason = .quit) {
    let isAccepted = pk.accepted?.pkId == invitation.pkId
    let body: PKMessage.Body = isAccepted ? .end(reason, by: "") : .reject(.failed, reason: nil, error: error)
    send(body, about: invitation.pkId, to: invitation.from.room)
    endPKInvitation(invitation.pkId, .failed, error: error)
  }

  /// Ends the PK in this room.
  /// - Parameter room: the other room if that ended the PK; it is not notified then.
  mutating func endPK(_ reason: PKEndReason, in room: RoomName? = nil, by user: UserID) {
    guard let running = pk.running else { return }
    let info = running.info
    pk.running = nil
    pk.conclude(info.pkId)
    pk.lastMet = PKHalf.LastMet(running)
    announce(
      .pkEnded(
        PKEndedData(
          pkId: info.pkId, reason: reason, room: room ?? name, by: user, score: info.score, peerScore: info.peerScore,
          result: info.result)))
    emit(.pkEnded(info, reason))
    if running.meeting != nil { return leaveMeeting(running, reason, by: user) }
    if room == nil { send(.end(reason, by: user), about: info.pkId, to: info.room) }
  }

  /// Ends everything that has expired.
  mutating func expirePK() {
    if let running = pk.running, running.deadline <= clock { return expire(running) }
    guard let invitation = pk.invitations.first(where: { pk.expiry(of: $0) <= clock }) else { return }
    let (id, room) = (invitation.pkId, invitation.from.room)
    if pk.isOutgoing(id) {
      cancelOutgoing(.timedOut, only: id)
    } else if pk.accepted?.pkId == id {
      send(.end(.failed, by: ""), about: id, to: room)
      endPKInvitation(id, .failed, error: RoomError(.pkBeginFailed, "room \(room.brief) did not start the PK in time"))
    } else {
      send(.reject(.timedOut, reason: nil, error: nil), about: id, to: room)
      endPKInvitation(id, .timedOut)
    }
  }

  private mutating func expire(_ running: RunningPK) {
    if let meeting = running.meeting { return expireMeeting(running, meeting) }
    var running = running
    if let end = running.info.endsAt, end <= clock {
      endPK(.time, by: "")
    } else if min(running.goneUntil ?? .max, running.peerGoneUntil ?? .max) <= clock {
      endPK(.lost, by: "")
    } else if let silentAt = running.peers.first?.silentAt, silentAt <= clock {
      running.peers[0].silentAt = nil
      change(to: running, sendsUpdate: false)
    } else if running.nextBeat <= clock {
      pk.running?.nextBeat = clock + rules.pkBeatTime
      send(.update(running.update), about: running.info.pkId, to: running.info.room)
    }
  }

  mutating func closePK() {
    endSearch(.cancelled)
    endPK(.roomClosed, by: "")
    let closed = RoomError(.noSuchRoom, "room \(name) is closed")
    if let crossed = pk.crossed {
      send(.reject(.failed, reason: nil, error: closed), about: crossed.pkId, to: crossed.from.room)
      pk.conclude(crossed.pkId)
    }
    cancelOutgoing(.cancelled)
    for invitation in pk.invitations { withdraw(invitation, because: closed, reason: .roomClosed) }
  }

  /// Sends the other rooms what they may have missed after this one was restored. The other rooms ignore what they already
  /// know.
  mutating func resumePKMessages() {
    if var running = pk.running {
      // Skips the versions that may have been sent after the last store: they must not be reused.
      running.version += 1 << 20
      for index in running.peers.indices {
        (running.peers[index].silentAt, running.peers[index].goneUntil) = (clock + rules.pkSilenceTime, nil)
      }
      running.meeting?.resume(at: clock)
      running.nextBeat = clock + rules.pkBeatTime
      running.goneUntil = nil
      change(to: running, sendsUpdate: true)
    }
    for outgoing in pk.outgoingInvitations { sendInvitation(outgoing) }
    if let accepted = pk.accepted, let invitation = pk[accepted.pkId] {
      send(.accept(host: invitation.to.userId), about: accepted.pkId, to: invitation.from.room)
    }
  }
}
