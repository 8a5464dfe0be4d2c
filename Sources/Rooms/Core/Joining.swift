import Foundation
import RoomProtocol
import RoomState
import RoomToken
import RoomSFU
import RoomWebRTC

// How participants join, lose their connection, return and leave, whichever entry point they use.

extension RoomCore {
  /// The result of a join.
  package enum Joined: Sendable {
    case joined(SessionID)
    case refused(RoomError)
    /// The room closed meanwhile; a new room may already use its name.
    case roomIsClosed
  }

  // MARK: Signalling

  /// Joins a client, or resumes its session, and answers its request.
  /// - Parameters:
  ///   - annex: the server that has the client's media; nil for this one.
  ///   - traits: what its protocol needs.
  ///   - profile: what it shows of itself.
  ///   - data: how messages are exchanged with it; nil for the form of this server's own clients, if it wants data channels.
  ///   - memory: what its protocol keeps for ``returning(_:)``.
  package mutating func join(
    _ token: RoomToken, _ params: JoinParams, request: Int, on connection: ConnectionID, annex: MediaAnnexID? = nil,
    traits: ClientTraits = [], profile: ParticipantProfile? = nil, data: DataLink? = nil, memory: ClientMemory? = nil
  ) -> Joined {
    guard !isClosed else { return .roomIsClosed }
    // Other grants require a new session: what the old ones allowed has to end. A new token has those that the API gave.
    let hasSameGrants = roster[token.user].map { [$0.token.grants, $0.grants].contains(token.grants) } ?? false
    if let old = roster[token.user], let secret = params.resume, secret == old.session, hasSameGrants,
      old.presence.isClient, !old.hasLostTransport
    {
      if old.annex == annex {
        resume(old, token: token, params, request: request, on: connection)
        return .joined(old.session)
      }
      if params.moves == true, !old.traits.contains(.keepsTransports), !old.traits.contains(.hasSingleConnection) {
        move(old, to: annex)
        resume(old, token: token, params, request: request, on: connection, moved: true)
        return .joined(old.session)
      }
      // The client's transports are at another server. The client begins anew here, and retains its seat.
      end(old.user, EndedData(reason: .duplicateLogin), leavesState: false)
    } else if let old = roster[token.user], old.traits.intersection(traits).contains(.keepsTransports), hasSameGrants {
      // Such a client has no secret, and begins anew where another would resume.
      end(old.user, Self.replaced(old.user), leavesState: false)
    }
    let receiving = Participant.Receiving(
      plan: SubscriptionPlan(
        automatic: params.autoSubscribe ?? true, confirms: params.confirmsTracks ?? false,
        prefersSmall: params.preferSmall ?? false),
      wantsLevels: params.audioLevels ?? false, opensAtOnce: traits.contains(.opensReceiving))
    do throws(RoomError) {
      try checkCapacity(for: token, publishes: token.grants.contains(.publish))
      var participant = newParticipant(token, .client, connection: connection, receiving: receiving, annex: annex)
      participant.profile = profile
      participant.data = data ?? (params.data == true ? FrameFormat.link : nil)
      // Its messages need no track.
      if participant.data != nil { participant.receiving.opensAtOnce = true }
      participant.traits = traits
      participant.memory = memory
      try enter(participant, answering: request)
      return .joined(participant.session)
    } catch { return .refused(error) }
  }

  private mutating func resume(
    _ old: Participant, token: RoomToken, _ params: JoinParams, request: Int, on connection: ConnectionID, moved: Bool = false
  ) {
    let user = old.user
    roster.setToken(token, of: user)
    _ = roster.change(user) { participant in
      if let automatic = params.autoSubscribe { participant.receiving.plan.automatic = automatic }
      if let confirms = params.confirmsTracks { participant.receiving.plan.confirms = confirms }
      // It is informed again of what it may not receive.
      participant.receiving.denied = []
    }
    if let levels = params.audioLevels { roster.setWantsLevels(levels, of: user) }
    if let small = params.preferSmall { setPrefersSmall(small, of: user) }
    count(.resume)
    reconnect(user, on: connection) { core in
      let missed = params.since.map { core.state.changes(after: $0, for: user) }
      guard var result = core.snapshot(for: user, resumed: true) else { return }
      result.replayed = missed.map { $0 != nil }
      result.moved = moved ? true : nil
      core.emit(.welcome(connection, request: request, result))
      for change in missed.flatMap({ $0 }) ?? [] { core.send(.changed(change), to: user) }
    }
    log(.info, "resumed", ["user": "\(user)"])
    if old.traits.contains(.keepsTransports) {
      restartReceiving(of: user)
    } else if let pending = roster[user]?.receiving.transport?.pending {
      // The offer may have been lost with the old socket.
      send(.offer(pending), to: user)
    }
    reportSubscribers(to: user)
    repeatStreams(to: user)
    repeatWantedLayers(to: user)
    sendQualities(to: user, resumes: true)
    changes.subscribers.insert(user)
  }

  /// The session that a user's client may resume; nil if there is none, or if it has lost what it would continue on.
  package func returning(_ user: UserID) -> ReturningClient? {
    guard let participant = roster[user], let memory = participant.memory, !participant.hasLostTransport,
      participant.receiving.transport?.canRestart == true
    else { return nil }
    return ReturningClient(
      session: participant.session, joinedAt: participant.joinedAt, memory: memory, annex: participant.annex)
  }

  func snapshot(for user: UserID, resumed: Bool) -> JoinResult? {
    guard let participant = roster[user] else { return nil }
    var others = roster.shown
    if let index = others.lastIndex(where: { $0.userId == user }) { others.remove(at: index) }
    var limits = settings.limits.clientLimits
    limits.historyMessages = settings.rules.historyMessages
    limits.historyBytes = settings.rules.historyBytes
    var room = state.snapshot(for: user)
    room.jobs = jobList
    room.players = playerList
    room.stage = settings.stage
    return JoinResult(
      sessionId: participant.session, resumed: resumed, room: room, me: participant.info, participants: others, limits: limits,
      pingInterval: Int(settings.pingInterval.milliseconds),
      iceServers: settings.iceServers.isEmpty ? nil : settings.iceServers.map { $0.serverEntry(for: user) })
  }

  /// Changes what a participant shows of itself.
  /// - Parameter session: the caller's; nil for the API.
  /// - Throws: 80103 if there is no such participant or session, 80302 if it would show too much.
  @discardableResult package mutating func changeProfile(
    of user: UserID, _ session: SessionID? = nil, _ change: (inout ParticipantProfile) -> Void
  ) throws(RoomError) -> ParticipantInfo {
    guard let participant = roster[user], session == nil || participant.session == session else {
      throw Self.noSuchUser(user)
    }
    let old = participant.profile ?? ParticipantProfile()
    var profile = old
    change(&profile)
    guard profile.isValid else {
      throw RoomError(
        .updateRoomFailed, "name, metadata and attributes have \(ParticipantProfile.maximumBytes) bytes at most")
    }
    guard profile != old else { return participant.info }
    roster.setProfile(profile, of: user)
    let event = SignalEvent.profileChanged(ProfileData(userId: user, profile: profile))
    if participant.isHidden { send(event, to: user) } else { broadcast(event) }
    return roster[user]?.info ?? participant.info
  }

  /// Changes what a participant may do, until it leaves. What it may no longer do ends.
  /// - Throws: 80103 if there is no such participant.
  @discardableResult package mutating func permit(
    _ user: UserID, _ permissions: Permissions
  ) throws(RoomError) -> ParticipantInfo {
    guard let old = roster[user], !old.isVirtual else { throw Self.noSuchUser(user) }
    var permissions = permissions
    // Its tracks and seat would reveal a hidden participant, and others know of one that is not.
    permissions.grants = permissions.grants.subtracting(.hidden).union(old.grants.intersection(.hidden))
    guard permissions != old.permissions else { return old.info }
    roster.setPermissions(permissions, of: user)
    changeState { $0.permit(user, permissions) }
    let mayPublish = state.mayPublish(user)
    let withdrawn = old.tracks.filter { !mayPublish || !permissions.allows(tag: $0.info.tag) }
    let event = SignalEvent.permissionsChanged(PermissionsData(userId: user, permissions: permissions))
    if old.isHidden { send(event, to: user) } else { broadcast(event) }
    withdraw(Set(withdrawn.map(\.info.trackId)), of: user)
    if !withdrawn.isEmpty {
      send(.unpublished(UnpublishedData(userId: user, trackIds: withdrawn.map(\.info.trackId))), to: user)
    }
    changes.subscribers.insert(user)
    changes.stage = true
    log(.info, "permissions changed", ["user": "\(user)", "grants": "\(permissions.grants.names.joined(separator: " "))"])
    return roster[user]?.info ?? old.info
  }

  /// Handles the loss of a client's socket: the participant has the grace time to return on another.
  package mutating func connectionLost(_ session: SessionID, of user: UserID, _ connection: ConnectionID) {
    guard let participant = roster[user], participant.session == session, participant.connection == connection else { return }
    lose(user)
  }

  // MARK: Entering and leaving

  mutating func newParticipant(
    _ token: RoomToken, _ presence: Presence, connection: ConnectionID? = nil, isConnected: Bool = true,
    receiving: Participant.Receiving = .init(), annex: MediaAnnexID? = nil
  ) -> Participant {
    Participant(
      token, presence, session: SessionID(entropy.uuid()), joinedAt: now.unix, connection: connection, isConnected: isConnected,
      receiving: receiving, annex: annex)
  }

  /// Throws if the room is full for a token's user, unless it replaces its own participant, or if a guest of a PK is not
  /// expected.
  mutating func checkCapacity(for token: RoomToken, publishes: Bool) throws(RoomError) {
    if let full = capacityError(for: token.user, publishes: publishes) {
      count(.limit(.participants))
      throw RoomError(.joinFailed, full)
    }
    guard token.pk != nil else { return }
    var tried = state
    try tried.join(token.user, grants: token.grants, pkGuest: token.pk)
  }

  /// Adds a participant, replacing one of the same name, and announces it.
  /// - Parameter request: the join to answer first; nil if there is none.
  /// - Throws: if the state rejects it; the participant is not added then.
  mutating func enter(_ participant: Participant, answering request: Int? = nil) throws(RoomError) {
    let user = participant.user
    if roster[user] != nil {
      end(user, Self.replaced(user))
    }
    if !participant.isVirtual {
      state.advance(to: now.unix)
      try state.join(user, grants: participant.grants, pkGuest: participant.token.pk)
    }
    var participant = participant
    participant.permissions = state.permissions(of: user)
    roster.add(participant)
    absent.removeAll { $0 == user }
    if participant.presence.isClient, let connection = participant.connection {
      emit(.attach(connection))
      if let request, let result = snapshot(for: user, resumed: false) {
        emit(.welcome(connection, request: request, result))
      }
    }
    if !participant.isHidden { broadcast(.joined(participant.info), besides: user) }
    if !participant.isVirtual { emit(.report(.participantJoined, participant.info)) }
    if participant.presence.isClient { sendQualities(to: user) }
    log(.info, "joined", ["user": "\(user)", "participants": "\(roster.count)"])
    drainState()
    changes.subscribers.insert(user)
    changes.stage = true
  }

  /// The end of a session whose user joined again.
  private static func replaced(_ user: UserID) -> EndedData {
    EndedData(reason: .duplicateLogin, error: RoomError(.duplicateLogin, "\(user) joined this room on another connection"))
  }

  /// Reconnects a participant, whichever entry point it uses, and announces it.
  /// - Parameter answer: emits what the client must receive before any event.
  mutating func reconnect(_ user: UserID, on connection: ConnectionID?, answer: (inout RoomCore) -> Void = { _ in }) {
    guard let old = roster[user] else { return }
    if let previous = old.connection { emit(.replace(previous)) }
    timers.cancel(.grace(user))
    roster.setConnection(connection, isConnected: true, of: user)
    if old.presence.isClient, let connection { emit(.attach(connection)) }
    answer(&self)
    if !old.isConnected { broadcastConnection(of: user) }
    changeState { $0.setConnected(user, true) }
    sendPKToken(to: user)
  }

  /// Marks a participant as disconnected: it has the grace time to return.
  mutating func lose(_ user: UserID, for grace: Duration? = nil) {
    guard let participant = roster[user], participant.isConnected else { return }
    if participant.presence.isClient, let connection = participant.connection { emit(.detach(connection)) }
    roster.setConnection(nil, isConnected: false, of: user)
    broadcastConnection(of: user)
    changeState { $0.setConnected(user, false) }
    let grace = grace ?? settings.graceTime
    log(.info, "connection lost", ["user": "\(user)", "grace": "\(grace)"])
    timers.set(.grace(user), at: time(in: grace))
  }

  /// Removes a participant, sends it the reason and announces that it left.
  /// - Parameter leavesState: false if it joins again at once, with its seat.
  mutating func end(_ user: UserID, _ ended: EndedData, leavesState: Bool = true) {
    endLeaving(of: user)
    guard let participant = roster.remove(user) else { return }
    reportLeaving(participant, ended)
    timers.cancel(.grace(user))
    // A client with a single connection has one transport for both.
    let (publishing, receiving) = (participant.publishing?.id, participant.receiving.transport?.id)
    for transport in [publishing, receiving == publishing ? nil : receiving] {
      if let transport { order(.close(transport)) }
    }
    leavePresence(participant)
    if let connection = participant.connection { emit(.end(connection, ended)) }
    if !participant.isHidden { broadcast(.left(LeftData(userId: user, reason: ended.reason))) }
    roster.forgetChoices(of: user, tracks: participant.tracks.map(\.info.trackId))
    note(participant.tracks, of: user, areGone: true)
    log(.info, "left", ["user": "\(user)", "reason": "\(ended.reason)", "participants": "\(roster.count)"])
    if !participant.isVirtual, leavesState { changeState { $0.leave(user, ended.reason) } }
    changes.stage = true
  }

  /// Ends what is specific to the participant's kind of presence.
  mutating func leavePresence(_ participant: Participant) {
    switch participant.presence {
    case .client, .whip: break
    case .encoder: for track in participant.tracks { order(.unpublish(track.id)) }
    case .mix(let job):
      unpublishMix(of: job)
      for track in participant.tracks { order(.unpublish(track.id)) }
      stop(job)
    case .guest:
      for track in participant.tracks {
        order(.unlink(track.id))
        order(.unpublish(track.id))
      }
      pk?[participant.user]?.carried = [:]
    case .forwarded(let source):
      for track in participant.tracks {
        order(.unlink(track.id))
        order(.unpublish(track.id))
      }
      endForward(of: participant.user, from: source)
    }
    order(.forgetTracks(participant.tracks.map(\.id)))
    order(.forget(participant.session))
  }

  /// Removes a participant at its own request.
  mutating func leave(_ user: UserID) { end(user, EndedData(reason: .left)) }

  // MARK: Capacity

  private var places: RoomCapacity {
    var places = RoomCapacity(most: settings.participants, publisherShare: settings.limits.publisherShare)
    places.publishers = roster.presentPublishers
    places.others = roster.presentOthers + viewers.present
    return places
  }

  /// Returns the reason why nobody else may join; nil if the room is not full.
  /// - Parameters:
  ///   - user: the user whose participant, if there is one, is replaced.
  ///   - publishes: whether the capacity reserved for publishers may be used.
  func capacityError(for user: UserID?, publishes: Bool) -> String? {
    var places = places
    if let user, let old = roster[user], old.countsAsPresent, !old.isUncounted {
      if old.grants.contains(.publish) { places.publishers -= 1 } else { places.others -= 1 }
    }
    guard !places.hasCapacity(publishes: publishes) else { return nil }
    guard places.publishers + places.others < places.most else {
      return "the room is full: its limit is \(settings.participants) participants"
    }
    return "the room is full: the last \(places.reserved) of its \(settings.participants) places are reserved for publishers"
  }
}
