import RoomCluster
import RoomRTP
import RoomProtocol
import RoomState
import RoomToken

// Calls of clients and of the API.

extension RoomCore {
  /// Whether a session continues after a request.
  package enum Handled: Sendable { case `continue`, ended }

  /// Performs a client's request. Emits its answer before the events that it causes.
  mutating func handle(
    _ request: SignalRequest, session: SessionID, of user: UserID, on connection: ConnectionID
  ) -> Handled {
    guard let participant = roster[user], participant.session == session, participant.connection == connection else {
      answer(
        .client(user, connection, request: request.id), .failure(RoomError(.notInRoom, "this session has ended; join again")))
      return .ended
    }
    let requester = Requester.client(user, connection, request: request.id)
    let mark = mark
    var cost = 0.0
    do throws(RoomError) {
      cost = try chargeRateLimit(of: request.call, by: user)
      // Without a result, the answer follows when a program is made.
      if let result = try perform(request.call, by: participant, requester) { answer(requester, .success(result), at: mark) }
    } catch {
      if cost > 0 { _ = roster.change(user) { $0.changes?.putBack(cost) } }
      answer(requester, .failure(error), at: mark)
    }
    return roster[user]?.session == session ? .continue : .ended
  }

  /// Performs a call of the API. Returns nil if the result follows with ``RoomOutput/reply(_:)``.
  mutating func perform(_ call: SignalCall) throws(RoomError) -> (any Codable & Sendable)? {
    guard !isClosed else { throw RoomError(.notInRoom, "the room is closed") }
    return try perform(call, by: nil, .api)
  }

  /// - Parameter caller: nil for the API.
  private mutating func perform(
    _ call: SignalCall, by caller: Participant?, _ requester: Requester
  ) throws(RoomError) -> (any Codable & Sendable)? {
    switch call {
    case .seats, .pk, .sendMessage, .setAttributes: return try performState(call, by: caller?.user)
    case .kick(let params): try kick(params.userId, by: caller?.user)
    case .players(let call): return try perform(call, by: caller)
    case .mute(let params):
      let info = try mute(params.trackId, params.muted, by: caller?.user)
      return caller == nil ? info : Empty()
    case .startForward(let params): return try startForward(params, by: caller, requester)
    case .startMerge(let params): return try startMerge(params, by: caller, requester)
    case .setLayouts(let params): return try setLayouts(params.layouts, of: params.jobId, by: caller, requester)
    case .stopJob(let params): try stopJob(params.jobId, by: caller)
    case .setStage(let style): try setStage(style, by: caller)
    case .unknown(let method): throw RoomError(.unknownMessage, "there is no method \"\(method.prefix(64))\"")
    case .getPlayURLs(let picture): return try playURLs(picture, requester)
    case .ping, .leave, .publish, .unpublish, .subscribe, .unsubscribe, .confirmTracks, .setReception, .setAudioLevels,
      .setReceiving, .editComposition, .setComposition, .answer, .resubscribe, .join:
      guard let caller else { throw RoomError(.noPermission, "only a user in the room can do this") }
      return try perform(call, by: caller)
    }
    return Empty()
  }

  /// Performs the calls that only participants may make.
  private mutating func perform(_ call: SignalCall, by caller: Participant) throws(RoomError) -> any Codable & Sendable {
    switch call {
    case .publish(let params):
      let result = try publish(params, by: caller.user)
      guard caller.traits.contains(.hasSingleConnection) else { return result }
      return ConnectionAnswer(published: result, received: roster[caller.user]?.receiving.transport?.tracks ?? [])
    case .unpublish(let selection): try unpublish(selection, by: caller.user)
    case .subscribe(let selection): try select(selection, wanted: true, by: caller.user)
    case .unsubscribe(let selection): try select(selection, wanted: false, by: caller.user)
    case .confirmTracks(let params): try confirm(params.trackIds, by: caller.user)
    case .setReception(let params): try setReception(params, of: caller.user)
    case .setAudioLevels(let params): roster.setWantsLevels(params.enabled, of: caller.user)
    case .setReceiving(let params): try setReceiving(params.enabled, of: caller.user)
    case .editComposition(let params): try editComposition(params, by: caller)
    case .setComposition(let params): try setComposition(params, by: caller)
    case .answer(let params): try accept(params, from: caller.user)
    case .resubscribe: try resubscribe(caller.user)
    case .leave: leave(caller.user)
    case .join: throw RoomError(.joinFailed, "this connection has already joined")
    default: break
    }
    return Empty()
  }

  /// Answers the caller that waits for a result.
  mutating func answer(_ requester: Requester, _ result: Result<any Codable & Sendable, RoomError>, at mark: Int? = nil) {
    switch requester {
    case .client(_, let connection, let request):
      if case .failure(let error) = result { count(.error(error.code)) }
      emit(.answer(connection, request: request, result), at: mark ?? self.mark)
    case .api: emit(.reply(result))
    case .room: break
    }
  }

  // MARK: Kicking

  /// Ends a user's session and its viewer sessions, and revokes their tokens.
  /// - Parameter operation: the user that does it; nil for the API.
  mutating func kick(_ user: UserID, by operation: UserID?) throws(RoomError) {
    if let operation, roster[operation]?.grants.contains(.admin) != true {
      throw RoomError(.noPermission, "kicking needs the admin grant")
    }
    let watching = viewers.byID.values.filter { $0.token.user == user }
    guard roster[user] != nil || !watching.isEmpty else { throw Self.noSuchUser(user) }
    let by = operation ?? ""
    emit(.report(.participantKicked, KickedData(userId: user, by: by)))
    for viewer in watching {
      emit(.kicked(viewer.token))
      endViewer(viewer.resource.id, because: "kicked")
    }
    count(.kick)
    if players[user] != nil { endPlayer(user, .stopped) }
    if let target = roster[user] {
      // The token is revoked before the client is notified, so that it can't rejoin.
      if !target.isVirtual { emit(.kicked(target.token)) }
      if !target.isHidden { broadcast(.kicked(KickedData(userId: user, by: by)), besides: user) }
      end(user, EndedData(reason: .kickedOut, by: by))
    }
    // Emitted after the revoked tokens, which are stored with it.
    emit(.store)
  }

  // MARK: Seats, PK, messages and attributes

  /// - Parameter user: nil for the API.
  private mutating func performState(_ call: SignalCall, by user: UserID?) throws(RoomError) -> any Codable & Sendable {
    // The clock advances even if the call fails.
    defer { drainState() }
    let id: PKID = if case .pk = call { PKID(entropy.uuid()) } else { "" }
    return try state.perform(call, by: user.map { .user($0) } ?? .api, at: now.unix, newID: { id }) ?? Empty()
  }

  /// Applies a change of presence to the state.
  mutating func changeState(_ change: (inout RoomState) -> Void) {
    state.advance(to: now.unix)
    change(&state)
    drainState()
  }

  /// Handles another room's message about a PK.
  mutating func receive(_ message: PKMessage) {
    guard !isClosed else {
      if let bounced = message.bounced { emit(.peer(.message(bounced))) }
      return
    }
    changeState { $0.receive(message) }
  }

  /// Announces the state's changes and performs its effects.
  mutating func drainState() {
    while state.hasOutputs {
      for output in state.takeOutputs() {
        switch output {
        case .change(let change, let audience):
          announce(change, to: audience)
          report(change.change)
        case .effect(let effect): carryOut(effect)
        case .peer(let message): emit(.peer(.message(message)))
        }
      }
    }
    emit(.store)
  }

  private mutating func announce(_ change: NumberedChange, to audience: Audience) {
    switch audience {
    case .everyone: broadcast(.changed(change))
    case .users(let users): send(.changed(change), to: users)
    case .admins: send(.changed(change), to: roster.all.filter { $0.grants.contains(.admin) }.map(\.user))
    }
  }

  private mutating func carryOut(_ effect: Effect) {
    switch effect {
    case .seated(let seat), .switched(let seat):
      applySwitches(of: seat)
      if let user = seat.userId { changes.subscribers.insert(user) }
    case .unseated(let user, _):
      withdrawAll(of: user)
      changes.subscribers.insert(user)
    case .arranged: break
    case .enterMatching(let ticket, let failed):
      emit(.peer(.enterMatching(MatchTicket(room: name, ticket: ticket), after: failed, PKID(entropy.uuid()))))
    case .leaveMatching(let ticket): emit(.peer(.leaveMatching(ticket)))
    case .pkBegan(let info):
      beginPK(info)
      sendPKToken(to: info.host)
    case .pkChanged(let info): changePK(info)
    case .pkEnded: endPK()
    }
    changes.stage = true
  }

  // MARK: Rate limits

  /// Charges a call to its caller's rate limit.
  /// - Returns: the cost to refund if the call fails.
  /// - Throws: 80302 if the caller exceeds the limit.
  private mutating func chargeRateLimit(of call: SignalCall, by user: UserID) throws(RoomError) -> Double {
    guard let cost = call.fanOutCost else { return 0 }
    let (perSecond, burst) = (settings.limits.changesPerSecond, settings.limits.changeBurst)
    let now = now.instant
    let isTaken = roster.change(user) { participant in
      var pace = participant.changes ?? TokenBucket(perSecond: perSecond, burst: burst, now: now)
      defer { participant.changes = pace }
      return pace.take(cost, now: now)
    }
    guard isTaken == true else {
      count(.limit(.changeRate))
      throw RoomError(
        .updateRoomFailed, "too many changes: the limit is \(Int(perSecond)) per second and participant; retry later")
    }
    return cost
  }
}

extension SignalCall {
  /// Bytes of attributes that cost as much as one additional call.
  private static let costlyBytes = 4096

  /// The number of changes that the call counts as; nil if it sends nothing to the whole room, or has a rate limit of its own.
  fileprivate var fanOutCost: Double? {
    switch self {
    case .setAttributes(let params):
      let set = (params.set ?? [:]).reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
      let removed = (params.remove ?? []).reduce(0) { $0 + $1.utf8.count }
      return Double(1 + (set + removed) / Self.costlyBytes)
    case .seats(.listRequests): return nil
    case .seats, .pk, .players, .publish, .unpublish, .mute, .startForward, .startMerge, .setLayouts, .stopJob, .setStage,
      .editComposition, .setComposition:
      return 1
    case .join, .leave, .subscribe, .unsubscribe, .confirmTracks, .setReception, .setAudioLevels, .setReceiving, .getPlayURLs,
      .answer, .resubscribe, .kick, .sendMessage, .ping, .unknown:
      return nil
    }
  }
}
