import RoomProtocol

extension RoomState {
  /// Performs a call of the signalling protocol.
  /// - Parameters:
  ///   - now: milliseconds since 1970.
  ///   - newID: returns a unique id for a PK.
  /// - Returns: the result to send; nil if the call does not concern this state.
  public mutating func perform(
    _ call: SignalCall, by caller: Caller, at now: Int64, newID: () -> PKID
  ) throws(RoomError) -> (any Codable & Sendable)? {
    advance(to: now)
    switch call {
    case .seats(let call): return try perform(call, by: caller)
    case .pk(let call): return try perform(call, by: caller, newID: newID)
    case .sendMessage(let params): return try sendMessage(params, by: caller)
    case .setAttributes(let params): try setAttributes(params, by: caller)
    default: return nil
    }
    return Empty()
  }

  private mutating func perform(_ call: SeatCall, by caller: Caller) throws(RoomError) -> any Codable & Sendable {
    switch call {
    case .take(let params): return try takeSeat(params.index ?? -1, by: try self.user(caller))
    case .leave: try leaveSeat(by: try self.user(caller))
    case .kick(let params): try kickFromSeat(params.userId, by: caller)
    case .set(let switches): try setSeat(switches, by: caller)
    case .setLayout(let params): try setLayout(params, by: caller)
    case .request(let params): try requestSeat(params.index ?? -1, by: try self.user(caller))
    case .cancelRequest: try cancelRequest(by: try self.user(caller))
    case .acceptRequest(let params): return try acceptRequest(of: params.userId, by: caller)
    case .rejectRequest(let params): try rejectRequest(of: params.userId, by: caller)
    case .listRequests: return try listRequests(by: caller)
    case .invite(let params): try inviteToSeat(params.userId, index: params.index ?? -1, by: caller)
    case .cancelInvitation(let params): try cancelInvitation(of: params.userId, by: caller)
    case .acceptInvitation: return try acceptInvitation(by: try self.user(caller))
    case .rejectInvitation: try rejectInvitation(by: try self.user(caller))
    }
    return Empty()
  }

  private mutating func perform(
    _ call: PKCall, by caller: Caller, newID: () -> PKID
  ) throws(RoomError) -> any Codable & Sendable {
    switch call {
    case .invite(let params): return try invitePK(params, id: newID(), by: caller)
    case .cancel(let params): try cancelPK(params.pkId, by: caller)
    case .accept(let params): try acceptPK(params.pkId, by: caller)
    case .reject(let params): try rejectPK(params.pkId, reason: params.reason, by: caller)
    case .match(let params): return try matchPK(params, ticket: TicketID(newID().rawValue), by: caller)
    case .cancelMatch: try cancelMatch(by: caller)
    case .mutePeer(let params): try mutePKPeer(params.muted, in: params.room, forAll: params.forAll ?? false, by: caller)
    case .rematch: return try rematchPK(id: newID(), by: caller)
    case .setScore(let params): try setPKScore(params.score, by: caller)
    case .addGift(let params): return try addPKGift(params, by: caller)
    case .extend(let params): try extendPK(seconds: params.seconds, by: caller)
    case .remove(let params): try removeFromPK(params.room, by: caller)
    case .resume: return try resumePK(by: try self.user(caller))
    case .quit: try quitPK(by: caller)
    }
    return Empty()
  }

  /// Returns the user, or throws for the API: some calls act on the caller itself.
  private func user(_ caller: Caller) throws(RoomError) -> UserID {
    guard case .user(let user) = caller else { throw RoomError(.noPermission, "only a user in the room can do this") }
    return user
  }
}
