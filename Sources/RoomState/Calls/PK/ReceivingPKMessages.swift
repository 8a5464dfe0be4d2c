import RoomProtocol

extension RoomState {
  /// Handles a message from another room's half.
  public mutating func receive(_ message: PKMessage) {
    guard message.to == name, message.from != name else { return }
    guard !isClosed else {
      if let answer = message.bounced { send(answer.body, about: answer.pkId, to: answer.to) }
      return
    }
    let (id, room) = (message.pkId, message.from)
    guard !takePairMessage(message) else { return advance(to: clock) }
    switch message.body {
    case .invite(let host, let user, let mode, let by, let duration, let terms):
      take(
        PKInvitation(
          pkId: id, from: PKSide(room: room, userId: host), to: PKSide(room: name, userId: user), mode: mode, by: by, at: clock,
          expiresAt: clock + rules.pkInvitationTime, duration: duration, terms: terms))
    case .cancel(let outcome):
      if isRunning(id, with: room) { endPK(.failed, in: room, by: "") }
      if isAbout(id, room) { endPKInvitation(id, outcome) }
    case .reject(let outcome, let reason, let error):
      if isRunning(id, with: room) { endPK(.failed, in: room, by: "") }
      if isAbout(id, room), pk.isOutgoing(id) { endPKInvitation(id, outcome, reason: reason, error: error) }
    case .matched: matched(id, with: room)
    case .accept(let host): accepted(id, in: room, host: host)
    case .begin(let startedAt, let endsAt): begun(id, in: room, startedAt: startedAt, endsAt: endsAt)
    case .update(let update):
      begun(id, in: room, startedAt: update.startedAt, endsAt: update.endsAt)
      if isRunning(id, with: room) { take(update) }
    case .end(let reason, let by): ended(id, in: room, reason, by: by)
    case .meet(let beat, let report): meet(beat, report, id, in: room)
    case .depart(let departure): take(departure, id, from: room)
    }
    // The end of a PK may have passed while its message was on the way.
    advance(to: clock)
  }

  /// Returns whether the PK with this id is running. A room that was restored to an earlier state may still treat it as an
  /// invitation; its messages about the invitation then apply to the PK.
  private func isRunning(_ id: PKID, with room: RoomName) -> Bool {
    pk.running?.info.pkId == id && pk.running?.info.room == room && pk.running?.meeting == nil
  }

  /// Returns whether an invitation with the id is from or to the room. Also true for an unknown id, which is only recorded.
  private func isAbout(_ id: PKID, _ room: RoomName) -> Bool {
    if pk[id] != nil || pk.crossed?.pkId == id { return isPending(id, with: room) }
    return pk.running?.info.pkId != id
  }

  /// Returns whether an invitation with the id from or to the room is pending.
  func isPending(_ id: PKID, with room: RoomName) -> Bool {
    guard let invitation = pk[id] ?? (pk.crossed?.pkId == id ? pk.crossed : nil) else { return false }
    return (invitation.from.room == name ? invitation.to : invitation.from).room == room
  }

  /// Handles an invitation that arrived, or one that was deferred and now counts.
  mutating func take(_ invitation: PKInvitation) {
    guard !pk.knows(invitation.pkId), !takeMatched(invitation) else { return }
    let room = invitation.from.room
    let ours = pk.running == nil ? pk.outgoingInvitations.first { $0.to.room == room } : nil
    if ours != nil, name < room {
      if let older = pk.crossed { pk.conclude(older.pkId) }
      pk.crossed = invitation
      return
    }
    var invitation = invitation
    do throws(RoomError) { invitation.to.userId = try invitedHost(invitation) } catch {
      pk.conclude(invitation.pkId)
      return send(.reject(.failed, reason: nil, error: error), about: invitation.pkId, to: room)
    }
    pk.append(invitation)
    announce(.pkInvited(invitation), to: .admins)
    // Both rooms invited each other: the other one, whose name sorts first, starts the PK.
    if let ours, connectedHost == invitation.to.userId {
      send(.cancel(.crossed), about: ours.pkId, to: room)
      endPKInvitation(ours.pkId, .crossed)
      accept(invitation, by: ours.by)
    }
  }

  /// Returns the host that an invitation names, or throws the error to reject it with.
  private func invitedHost(_ invitation: PKInvitation) throws(RoomError) -> UserID {
    if pk.isBusy { throw RoomError(.roomInPK, "room \(name) is in a PK") }
    if let room = keptApart(invitation) { throw Self.keptApart(room) }
    guard pk.incomingCount < rules.pkInvitations else {
      throw RoomError(.pkInviteFailed, "\(rules.pkInvitations) invitations are already pending in room \(name)")
    }
    let wanted = invitation.to.userId
    if !wanted.isEmpty { _ = try visibleMember(wanted) }
    guard let host = seats.host else { throw RoomError(.pkInviteFailed, "the host's seat of room \(name) is empty") }
    guard wanted.isEmpty || wanted == host else {
      throw RoomError(.pkInviteFailed, "\(wanted.brief) is not the host of room \(name)")
    }
    guard host != invitation.from.userId else {
      throw RoomError(.pkInviteFailed, "\(host.brief) is the host of both rooms")
    }
    return host
  }

  /// Handles the invited room's acceptance.
  private mutating func accepted(_ id: PKID, in room: RoomName, host: UserID) {
    if isRunning(id, with: room), let running = pk.running {
      return send(.begin(startedAt: running.info.startedAt, endsAt: running.info.endsAt), about: id, to: room)
    }
    guard pk.isOutgoing(id), let invitation = pk[id], invitation.to.room == room else { return deny(id, to: room) }
    guard invitation.terms == nil else { return admit(invitation, host: host) }
    let endsAt = invitation.duration.map { clock + Int64($0) * 1000 }
    begin(invitation, peer: host, startedAt: clock, endsAt: endsAt, by: "")
    send(.begin(startedAt: clock, endsAt: endsAt), about: id, to: room)
    presenceChanged()
  }

  /// Handles the inviting room's start of the PK.
  private mutating func begun(_ id: PKID, in room: RoomName, startedAt: Int64, endsAt: Int64?) {
    if isRunning(id, with: room) { return }
    guard let accepted = pk.accepted, accepted.pkId == id, let invitation = pk[id], invitation.from.room == room else {
      return deny(id, to: room)
    }
    begin(invitation, peer: invitation.from.userId, startedAt: startedAt, endsAt: endsAt, by: accepted.by)
    presenceChanged()
  }

  /// Replies that the PK does not exist here.
  private mutating func deny(_ id: PKID, to room: RoomName) {
    if isAbout(id, room), pk[id] == nil { pk.conclude(id) }
    send(.end(.failed, by: ""), about: id, to: room)
  }

  private mutating func ended(_ id: PKID, in room: RoomName, _ reason: PKEndReason, by user: UserID) {
    if isRunning(id, with: room) { return endPK(reason, in: room, by: user) }
    guard isAbout(id, room) else { return }
    let error = RoomError(.pkBeginFailed, "room \(room.brief) no longer starts the PK: \(reason.rawValue)")
    endPKInvitation(id, .failed, error: error)
  }

  mutating func begin(
    _ invitation: PKInvitation, peer: UserID, startedAt: Int64, endsAt: Int64?, by user: UserID
  ) {
    let inviter = invitation.from.room == name
    let other = inviter ? invitation.to.room : invitation.from.room
    concludeAccepted(invitation.pkId, by: user)
    let info = PKInfo(
      pkId: invitation.pkId, mode: invitation.mode, room: other, userId: peer,
      host: inviter ? invitation.from.userId : invitation.to.userId, inviter: inviter, startedAt: startedAt,
      endsAt: endsAt)
    begin(RunningPK(info: info, now: clock, rules: rules))
  }

  /// Ends the invitation that leads to a PK, and the one that crossed it.
  mutating func concludeAccepted(_ id: PKID, by user: UserID) {
    if let crossed = pk.crossed { pk.conclude(crossed.pkId) }
    endPKInvitation(id, .accepted, by: user)
  }

  /// Starts a PK, and ends what can't continue beside it.
  mutating func begin(_ running: RunningPK) {
    let info = running.info
    concludeSearch(with: info)
    pk.running = running
    announce(.pkBegan(info))
    emit(.pkBegan(info))
    let busy = RoomError(.roomInPK, "room \(name) is in a PK")
    for waiting in pk.invitations where waiting.from.room != name {
      send(.reject(.failed, reason: nil, error: busy), about: waiting.pkId, to: waiting.from.room)
      endPKInvitation(waiting.pkId, .failed, error: busy)
    }
  }
}
