import RoomProtocol
import RoomRelay
import RoomSFU
import RoomWebRTC

// Subscriptions of clients.

extension RoomCore {
  // MARK: Calls

  /// Subscribes to tracks, or ends subscriptions.
  package mutating func select(_ selection: TrackSelection, wanted: Bool, by user: UserID) throws(RoomError) {
    try checkSubscribes(user)
    let (tracks, users) = (selection.trackIds ?? [], selection.userIds ?? [])
    for trackId in tracks {
      guard let owner = roster.owner(of: trackId), owner.user != user else {
        throw RoomError(.subscribeFailed, "nobody else publishes a track \"\(trackId.brief)\"")
      }
    }
    for other in users {
      guard let participant = roster[other], other != user, !participant.isHidden else {
        throw RoomError(.subscribeFailed, "there is no other user \"\(other.brief)\" in the room")
      }
    }
    for other in users {
      let existing = roster[other]?.tracks.map(\.info.trackId) ?? []
      _ = roster.change(user) { participant in
        participant.receiving.plan.set(wanted, user: other, existing: existing)
        participant.receiving.denied.subtract(existing)
      }
    }
    for trackId in tracks {
      _ = roster.change(user) { participant in
        participant.receiving.plan.set(wanted, track: trackId)
        // Who asks again is answered again.
        participant.receiving.denied.remove(trackId)
      }
    }
    changes.subscribers.insert(user)
  }

  /// Confirms tracks whose automatic subscription waited for it.
  mutating func confirm(_ tracks: [TrackID], by user: UserID) throws(RoomError) {
    try checkSubscribes(user)
    for trackId in tracks where roster.owner(of: trackId) != nil {
      _ = roster.change(user) { $0.receiving.plan.confirm(track: trackId) }
    }
    changes.subscribers.insert(user)
  }

  /// Ends all subscriptions of a user, or resumes those that it chose.
  mutating func setReceiving(_ enabled: Bool, of user: UserID) throws(RoomError) {
    try checkSubscribes(user)
    _ = roster.change(user) { $0.receiving.plan.isReceiving = enabled }
    changes.subscribers.insert(user)
    // The mix is made only while somebody receives it.
    changes.stage = true
  }

  private func checkSubscribes(_ user: UserID) throws(RoomError) {
    guard roster[user]?.grants.contains(.subscribe) == true else {
      throw RoomError(.noPermission, "the participant has no grant to subscribe")
    }
  }

  /// Applies the answer to the offer in flight.
  mutating func accept(_ params: AnswerParams, from user: UserID) throws(RoomError) {
    guard var transport = roster[user]?.receiving.transport, let pending = transport.pending else {
      throw RoomError(.subscribeFailed, "no offer is pending")
    }
    guard params.offer == pending.offer else {
      throw RoomError(.subscribeFailed, "the pending offer is \(pending.offer), not \(params.offer)")
    }
    let settled: SubscribeTransport.Settled
    do {
      settled = try transport.accept(params.sdp) { ids.subscription() }
    } catch {
      throw RoomError(.subscribeFailed, "the answer was rejected: \(error)")
    }
    roster.setReceiving(transport, of: user)
    if let remote = settled.remote { order(.connect(transport.id, remote)) }
    enableData(settled.data, on: transport.id, sendingOn: OutgoingChannels(roster[user]?.data?.channels.all ?? []))
    start(settled, on: transport.id, of: user)
  }

  /// Sends on a single connection what the answer to the client's offer says.
  mutating func receive(_ answered: AnsweredSending, by user: UserID) {
    guard var transport = roster[user]?.receiving.transport else { return }
    let settled = transport.settle(answered) { ids.subscription() }
    roster.setReceiving(transport, of: user)
    start(settled, on: transport.id, of: user)
  }

  /// Starts the subscriptions that a client accepted.
  private mutating func start(_ settled: SubscribeTransport.Settled, on transport: TransportID, of user: UserID) {
    for accepted in settled.accepted {
      order(.subscribe(accepted.subscription, to: accepted.track, on: transport, accepted.parameters, continues: false))
      let reception = roster[user].map { self.reception(of: accepted.trackId, by: $0.receiving.plan) } ?? Reception()
      if reception != Reception() { order(.setReception(accepted.subscription, reception)) }
      if let owner = roster.owner(of: accepted.trackId), let track = owner.track(accepted.trackId) {
        noteSubscriber(of: track, by: owner.user)
      }
    }
    let failed = settled.rejected.filter { rejected in !(rejected.lacks.map { learnsLack($0, of: user) } ?? false) }
    subscribeFailed(failed.map { ($0.trackId, $0.reason) }, of: user)
    changes.offers.insert(user)
  }

  /// Notes that a client can't decode what it was offered of a track. Returns whether another codec is offered.
  private mutating func learnsLack(_ offered: PublishedTrack, of user: UserID) -> Bool {
    guard offered.info.kind == .video, let codec = offered.parameters.codecs.first?.name,
      roster.owner(of: offered.info.trackId) != nil, var lacks = roster[user]?.receiving.lacks,
      lacks.insert(codec).inserted
    else { return false }
    _ = roster.change(user) { [lacks] in $0.receiving.lacks = lacks }
    guard TrackRendition.Codec.allCases.contains(where: { !lacks.contains($0.parameters.name) }) else { return false }
    changes.subscribers.insert(user)
    return true
  }

  /// Starts a new subscribe transport for a client that lost the old one.
  mutating func resubscribe(_ user: UserID) throws(RoomError) {
    // Messages need no grant.
    if roster[user]?.data == nil { try checkSubscribes(user) }
    if let old = roster[user]?.receiving.transport { order(.close(old.id)) }
    roster.setReceiving(nil, of: user)
    _ = roster.change(user) { $0.receiving.plan.retry() }
    changes.subscribers.insert(user)
  }

  /// Restarts ICE of a client's subscribe transport: the next offer has new credentials, and replaces one in flight.
  mutating func restartReceiving(of user: UserID) {
    guard let participant = roster[user], var transport = participant.receiving.transport else { return }
    if participant.traits.contains(.hasSingleConnection) {
      // The client's next offer has them. A request for one may have been lost.
      transport.repeatRequest()
      roster.setReceiving(transport, of: user)
      changes.subscribers.insert(user)
      return
    }
    let credentials = ICECredentials.random(using: &entropy)
    order(.restart(transport.id, credentials))
    transport.restart(credentials)
    roster.setReceiving(transport, of: user)
    changes.subscribers.insert(user)
  }

  private mutating func subscribeFailed(_ failed: [(trackId: TrackID, reason: String)], of user: UserID) {
    for (trackId, problem) in failed {
      let reason = renditionRefusal(of: trackId).map { "\(problem); it is not transcoded: \($0)" } ?? problem
      _ = roster.change(user) { $0.receiving.plan.fail(track: trackId) }
      log(.info, "subscribe failed", ["user": "\(user)", "track": "\(trackId)", "reason": "\(reason)"])
      send(.subscribeFailed(SubscribeFailedData(trackIds: [trackId], error: RoomError(.subscribeFailed, reason))), to: user)
    }
  }

  // MARK: Wanted tracks

  /// Returns the source that a participant receives for a track; nil for none.
  private mutating func source(
    _ track: PublishedTrack, of owner: Participant, for user: Participant, denied: inout Set<TrackID>
  ) -> SubscribeTransport.Source? {
    guard owner.user != user.user else { return nil }
    switch wish(track, of: owner, for: user) {
    case .unwanted: return nil
    case .denied:
      denied.insert(track.info.trackId)
      return nil
    case .wanted: break
    }
    // Users in a mix receive it without their own sound.
    if track.info.kind == .audio, let own = ownMix(of: owner, for: user) { return .init(userId: owner.user, track: own) }
    let lacks = user.receiving.lacks
    if let codec = track.parameters.codecs.first?.name, lacks.contains(codec) {
      switch rendition(of: track, accepts: { !lacks.contains($0.name) }) {
      case .given(let rendition): return .init(userId: owner.user, track: rendition, rendition: rendition.info.codec)
      case .awaited: return nil
      case .unavailable: break
      }
    }
    return .init(userId: owner.user, track: track)
  }

  func wants(_ track: PublishedTrack, of owner: Participant, _ user: Participant) -> Bool {
    wish(track, of: owner, for: user) == .wanted
  }

  // MARK: Reconciling

  /// Updates all subscriptions of the participants that changed, and those of all others to the tracks that changed.
  mutating func reconcileSubscriptions(_ changes: Changes) {
    if changes.allSubscribers {
      for user in roster.order { renewAllSubscriptions(of: user) }
      return
    }
    for user in changes.subscribers { renewAllSubscriptions(of: user) }
    if !changes.tracks.isEmpty {
      for user in roster.receivers where !changes.subscribers.contains(user) { renewSubscriptions(of: user, changes.tracks) }
    }
    for user in changes.offers where !changes.subscribers.contains(user) { sendOffer(to: user) }
  }

  /// Updates one subscriber's subscriptions to all tracks of the room.
  private mutating func renewAllSubscriptions(of user: UserID) {
    guard let participant = roster[user], participant.presence.isClient else { return }
    var wanted: [TrackID: SubscribeTransport.Source] = [:]
    var denied: Set<TrackID> = []
    for owner in roster.publishers where owner != user && participant.subscribes {
      guard let owner = roster[owner] else { continue }
      for track in owner.tracks {
        if let source = source(track, of: owner, for: participant, denied: &denied) { wanted[track.info.trackId] = source }
      }
    }
    let known = participant.receiving.denied
    note(denied: denied, after: known, among: known, of: user)
    guard var transport = participant.receiving.transport ?? newTransport(for: participant, isWanted: !wanted.isEmpty) else {
      return
    }
    for trackId in Array(transport.wantedIds) where wanted[trackId] == nil { set(trackId, nil, on: &transport) }
    for (trackId, source) in wanted { set(trackId, source, on: &transport) }
    roster.setReceiving(transport, of: user)
    sendOffer(to: user)
  }

  /// Updates one subscriber's subscriptions to the tracks that changed.
  private mutating func renewSubscriptions(of user: UserID, _ tracks: [TrackID: UserID]) {
    guard let participant = roster[user], participant.subscribes else { return }
    var sources: [(TrackID, SubscribeTransport.Source?)] = []
    var denied: Set<TrackID> = []
    for (trackId, owner) in tracks where owner != user {
      let owner = roster[owner]
      var wanted: SubscribeTransport.Source?
      if let owner, let track = owner.track(trackId) {
        wanted = source(track, of: owner, for: participant, denied: &denied)
      }
      sources.append((trackId, wanted))
    }
    note(denied: denied, after: participant.receiving.denied, among: tracks.keys, of: user)
    let isWanted = sources.contains { $0.1 != nil }
    guard var transport = participant.receiving.transport ?? newTransport(for: participant, isWanted: isWanted) else { return }
    for (trackId, source) in sources { set(trackId, source, on: &transport) }
    roster.setReceiving(transport, of: user)
    sendOffer(to: user)
  }

  private mutating func set(
    _ trackId: TrackID, _ source: SubscribeTransport.Source?, on transport: inout SubscribeTransport
  ) {
    if let ended = transport.set(trackId, source) { order(.unsubscribe(ended)) }
  }

  private mutating func newTransport(for participant: Participant, isWanted: Bool) -> SubscribeTransport? {
    let opensAtOnce = participant.receiving.opensAtOnce
    guard isWanted || opensAtOnce, participant.isConnected else { return nil }
    if participant.traits.contains(.hasSingleConnection) {
      let shared = publishTransport(of: participant)
      roster.setPublishing(shared, of: participant.user)
      order(.open(shared.id, local: shared.local, at: participant.annex))
      return SubscribeTransport(sharing: shared)
    }
    let transport = SubscribeTransport(
      id: ids.transport(), local: localTransport(at: participant.annex), replaces: participant.receiving.hadTransport,
      opensAtOnce: opensAtOnce, hasData: participant.data != nil)
    _ = roster.change(participant.user) { $0.receiving.hadTransport = true }
    order(.open(transport.id, local: transport.local, at: participant.annex))
    return transport
  }

  /// Sends a subscriber an offer with the tracks that it does not receive yet.
  private mutating func sendOffer(to user: UserID) {
    // An offer to a disconnected socket would be lost.
    guard let participant = roster[user], participant.isConnected, var transport = participant.receiving.transport,
      transport.pending == nil
    else { return }
    let refused = transport.addMissing()
    if let request = transport.requestLines() {
      roster.setReceiving(transport, of: user)
      if let connection = participant.connection { emit(.deliver(.needsOffer(request), to: connection)) }
      return
    }
    let next = transport.makeOffer(number: participant.receiving.offers + 1)
    roster.setReceiving(transport, of: user)
    subscribeFailed(refused, of: user)
    guard let next else { return }
    _ = roster.change(user) { $0.receiving.offers = next.offer }
    send(.offer(next), to: user)
  }
}
