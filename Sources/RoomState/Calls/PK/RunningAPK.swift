import RoomProtocol

extension RoomState {
  /// Stops or goes on hearing the other anchor in this room.
  /// - Throws: 10003 for who is neither this side's anchor nor has the `admin` grant; 10013.
  public mutating func mutePKPeer(_ muted: Bool, by caller: Caller) throws(RoomError) {
    try checkAnchor(caller, "muting the other anchor")
    guard var running = pk.running else { throw Self.noPK }
    guard running.info.peerMuted != muted else { return }
    running.info.peerMuted = muted
    change(to: running, telling: true)
  }

  /// Sets this side's score, which both rooms are told.
  /// - Throws: 10003 without the `admin` grant; 10001 for a number that not every client holds; 10013.
  public mutating func setPKScore(_ score: Int, by caller: Caller) throws(RoomError) {
    try checkAdmin(caller, "setting the score")
    let most = 1 << 53 - 1
    guard (-most...most).contains(score) else {
      throw RoomError(.unknownMessage, "score: \(score), where \(-most) to \(most) is possible")
    }
    guard var running = pk.running else { throw Self.noPK }
    guard running.info.score != score else { return }
    running.info.score = score
    change(to: running, telling: true)
  }

  /// This side's anchor, who had left, is back in the room and goes on. Who comes back with its session need not say so.
  /// - Throws: 80103; 10013; 10003 for anybody else; 80705 where nobody is missing, or the anchor belongs in the other room.
  public mutating func resumePK(by user: UserID) throws(RoomError) -> PKInfo {
    _ = try member(user)
    if let host = pk.info?.host, host != user {
      throw RoomError(.noPermission, "only \(host.brief), the anchor, can resume the PK")
    }
    guard let running = pk.running else { throw Self.noPK }
    guard !running.info.connected else { throw RoomError(.pkBeginFailed, "the PK was not interrupted on this side") }
    guard running.info.way == .bridge || !running.info.inviter else {
      throw RoomError(.pkBeginFailed, "in this PK \(user.brief) is shown from room \(running.info.room.brief): join that again")
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
  /// - Throws: 80103; 10003 for who is none of the anchors and lacks the `admin` grant; 10013.
  public mutating func quitPK(by caller: Caller) throws(RoomError) {
    var isGuest = false
    if case .user(let user) = caller, let guestOf = members[user]?.guestOf { isGuest = guestOf == pk.info?.pkId }
    if !isGuest { try checkAnchor(caller, "ending the PK") }
    if pk.running != nil { return endPK(.quit, by: caller.told) }
    guard let accepted = pk.accepted, let invitation = pk[accepted.pkId] else { throw Self.noPK }
    send(.end(.quit, by: caller.told), about: accepted.pkId, to: invitation.from.room)
    endPKInvitation(accepted.pkId, .cancelled, by: caller.told)
  }

  private static var noPK: RoomError { RoomError(.roomNotInPK, "this room is in no PK") }

  private func checkAnchor(_ caller: Caller, _ what: String) throws(RoomError) {
    try checkPresence(caller)
    if case .user(let user) = caller, pk.info?.host == user { return }
    try checkAdmin(caller, what)
  }

  // MARK: Where the anchors are

  /// Takes what the other side says of itself: news, or that it is still there.
  mutating func take(_ update: PKUpdate) {
    guard var running = pk.running else { return }
    running.silentAt = clock + rules.pkSilenceTime
    if update.version > running.peerVersion {
      running.peerVersion = update.version
      running.info.peerScore = update.score
      running.info.mutedByPeer = update.mutesPeer
      running.peerAtHome = update.atHome
      running.away = update.hasGuest && running.info.way == .move && running.info.inviter
    }
    change(to: running, telling: false)
  }

  /// Looks anew who is here.
  mutating func presenceChanged() {
    guard var running = pk.running else { return }
    running.atHome = !running.awaitsResume && members[running.info.host]?.connected ?? false
    let guest = members[running.info.userId]
    running.hasGuest = guest?.guestOf == running.info.pkId && guest?.connected ?? false
    let moved = running.atHome != pk.running?.atHome || running.hasGuest != pk.running?.hasGuest
    change(to: running, telling: moved)
  }

  /// - Parameter telling: whether the other room has to know.
  private mutating func change(to new: RunningPK, telling: Bool) {
    var new = new
    let before = pk.running?.info
    new.settle(now: clock, grace: rules.pkGraceTime)
    if telling { new.version += 1 }
    pk.running = new
    if new.info != before {
      tell(.pkChanged(new.info))
      want(.pkChanged(new.info))
    }
    if telling { send(.update(new.update), about: new.info.pkId, to: new.info.room) }
  }

  /// Refuses a PK token that is no good any more.
  func checkGuest(_ user: UserID, of pkId: PKID) throws(RoomError) {
    guard let info = pk.info, info.pkId == pkId, info.way == .move, !info.inviter, info.userId == user else {
      throw RoomError(.roomNotInPK, "the PK of this token is over, or \(user.brief) is not its anchor")
    }
  }

  /// For whom the host's seat is kept while it is empty: the anchor of a PK, who may be gone for a while.
  func hostSeatIsKept(from user: UserID) -> UserID? {
    guard let host = pk.info?.host, host != user else { return nil }
    return host
  }

  // MARK: Ends

  /// A member left the room.
  mutating func anchorLeft(_ user: UserID, _ member: Member, _ reason: EndReason) {
    endPKInvitations(with: user)
    guard let info = pk.info else { return }
    let wantsEnd = reason == .left || reason == .kickedOut
    if user == info.host {
      pk.running?.awaitsResume = true
      let moves = info.way == .move && info.inviter && reason == .left
      if wantsEnd && !moves { endPK(.quit, by: user) } else { presenceChanged() }
    } else if member.guestOf == info.pkId {
      if wantsEnd { endPK(.quit, by: user) } else { presenceChanged() }
    }
  }

  /// A member lost its seat but is in the room.
  mutating func anchorGotUp(_ user: UserID, by operation: UserID) {
    endPKInvitations(with: user)
    if user == pk.info?.host { endPK(.quit, by: operation) }
  }

  /// Nobody is left whom the invitations name as this side's anchor.
  private mutating func endPKInvitations(with user: UserID) {
    if pk.outgoingInvitation?.from.userId == user { cancelOutgoing(.cancelled) }
    for invitation in pk.invitations where invitation.to.userId == user && invitation.to.room == name {
      withdraw(invitation, because: RoomError(.pkAnswerFailed, "\(user.brief) is not the host of room \(name) any more"))
    }
  }

  /// Refuses an invitation to this room, also an accepted one.
  private mutating func withdraw(_ invitation: PKInvitation, because error: RoomError, reason: PKEndReason = .quit) {
    let isAccepted = pk.accepted?.pkId == invitation.pkId
    let body: PKMessage.Body = isAccepted ? .end(reason, by: "") : .reject(.failed, reason: nil, error: error)
    send(body, about: invitation.pkId, to: invitation.from.room)
    endPKInvitation(invitation.pkId, .failed, error: error)
  }

  /// The PK is over in this room.
  /// - Parameter room: the other one where that ended it; it need not be told then.
  mutating func endPK(_ reason: PKEndReason, in room: RoomName? = nil, by user: UserID) {
    guard let info = pk.info else { return }
    pk.running = nil
    pk.conclude(info.pkId)
    tell(
      .pkEnded(
        PKEndedData(
          pkId: info.pkId, reason: reason, room: room ?? name, by: user, score: info.score, peerScore: info.peerScore)))
    want(.pkEnded(info, reason))
    if room == nil { send(.end(reason, by: user), about: info.pkId, to: info.room) }
  }

  /// Ends what is due.
  mutating func expirePK() {
    if let running = pk.running { return expire(running) }
    guard let invitation = pk.invitations.first(where: { pk.expiry(of: $0) <= clock }) else { return }
    let (id, room) = (invitation.pkId, invitation.from.room)
    if pk.outgoing == id {
      cancelOutgoing(.timedOut)
    } else if pk.accepted?.pkId == id {
      send(.end(.failed, by: ""), about: id, to: room)
      endPKInvitation(id, .failed, error: RoomError(.pkBeginFailed, "room \(room.brief) did not begin the PK in time"))
    } else {
      send(.reject(.timedOut, reason: nil, error: nil), about: id, to: room)
      endPKInvitation(id, .timedOut)
    }
  }

  private mutating func expire(_ running: RunningPK) {
    var running = running
    if min(running.goneUntil ?? .max, running.peerGoneUntil ?? .max) <= clock {
      endPK(.lost, by: "")
    } else if let silentAt = running.silentAt, silentAt <= clock {
      running.silentAt = nil
      change(to: running, telling: false)
    } else if running.nextBeat <= clock {
      pk.running?.nextBeat = clock + rules.pkBeatTime
      send(.update(running.update), about: running.info.pkId, to: running.info.room)
    }
  }

  mutating func closePK() {
    endPK(.roomClosed, by: "")
    let closed = RoomError(.noSuchRoom, "room \(name) is closed")
    if let crossed = pk.crossed {
      send(.reject(.failed, reason: nil, error: closed), about: crossed.pkId, to: crossed.from.room)
      pk.conclude(crossed.pkId)
    }
    cancelOutgoing(.cancelled)
    for invitation in pk.invitations { withdraw(invitation, because: closed, reason: .roomClosed) }
  }

  /// What the other rooms have to hear after this one was restored; what they know already is no news to them.
  mutating func resumePKMessages() {
    if var running = pk.running {
      // The versions that were sent after the last storing must not be sent again.
      running.version += 1 << 20
      running.silentAt = clock + rules.pkSilenceTime
      running.nextBeat = clock + rules.pkBeatTime
      running.goneUntil = nil
      running.peerGoneUntil = nil
      change(to: running, telling: true)
    }
    if let outgoing = pk.outgoingInvitation { sendInvitation(outgoing) }
    if let accepted = pk.accepted, let invitation = pk[accepted.pkId] {
      send(.accept(host: invitation.to.userId), about: accepted.pkId, to: invitation.from.room)
    }
  }
}
