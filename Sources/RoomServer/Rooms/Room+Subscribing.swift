import RoomProtocol
import SFU
import WebRTC

extension Room {
  /// Brings a participant's subscriptions to what it is to get now: ends, adds, and offers what changed.
  func renewSubscriptions(of participant: Participant) {
    guard participant.grants.contains(.subscribe) else { return }
    let wanted = wantedTracks(of: participant)
    if participant.subscribing == nil {
      guard !wanted.isEmpty, participant.outlet != nil else { return }
      openSubscribeTransport(for: participant)
    }
    guard var transport = participant.subscribing else { return }
    for subscription in transport.drop(allBut: wanted) { media.unsubscribe(subscription) }
    var refused: [(trackId: TrackID, reason: String)] = []
    var offer: OfferData?
    // An offer to a lost socket would only be lost.
    if participant.outlet != nil {
      refused = transport.add(wanted)
      offer = transport.makeOffer(number: participant.offers + 1)
    }
    participant.subscribing = transport
    tellFailed(refused, to: participant)
    guard let offer else { return }
    participant.offers = offer.offer
    send(.offer(offer), to: participant)
  }

  private func wantedTracks(of participant: Participant) -> [TrackID: SubscribeTransport.Source] {
    var wanted: [TrackID: SubscribeTransport.Source] = [:]
    for other in participants.values where other !== participant {
      for track in other.tracks {
        let isMeant = participant.plan.automatic && self.isMeant(track, of: other, for: participant)
        guard participant.plan.wants(track: track.info.trackId, of: other.userId, automatic: isMeant) else { continue }
        // Who speaks in a mix hears it without itself.
        let own = track.info.kind == .audio ? other.mixed?.own[participant.userId] : nil
        wanted[track.info.trackId] = .init(userId: other.userId, track: own?.track ?? track)
      }
    }
    return wanted
  }

  private func openSubscribeTransport(for participant: Participant) {
    let transport = SubscribeTransport(
      id: nextTransportID(), local: localTransport(), replaces: participant.hadSubscribeTransport)
    participant.hadSubscribeTransport = true
    participant.subscribing = transport
    media.openTransport(transport.id, credentials: transport.credentials)
  }

  private func tellFailed(_ failed: [(trackId: TrackID, reason: String)], to participant: Participant) {
    for (trackId, reason) in failed {
      participant.plan.fail(track: trackId)
      log.info("subscribe failed", metadata: ["user": "\(participant.userId)", "track": "\(trackId)", "reason": "\(reason)"])
      send(
        .subscribeFailed(SubscribeFailedData(trackIds: [trackId], error: RoomError(.subscribeFailed, reason))), to: participant)
    }
  }

  // MARK: Requests

  /// Subscribes to tracks, or ends subscriptions.
  func select(
    _ selection: TrackSelection, wanted: Bool, by participant: Participant
  ) throws(RoomError) -> () -> Void {
    guard participant.grants.contains(.subscribe) else {
      throw RoomError(.noPermission, "the token has no grant to subscribe")
    }
    let tracks = selection.trackIds ?? []
    let users = selection.userIds ?? []
    for trackId in tracks {
      guard let publication = publication(trackId), publication.owner !== participant else {
        throw RoomError(.subscribeFailed, "nobody else publishes a track \"\(trackId.brief)\"")
      }
    }
    for user in users {
      guard let other = participants[user], other !== participant, !other.isHidden else {
        throw RoomError(.subscribeFailed, "there is no other user \"\(user.brief)\" in the room")
      }
    }
    for user in users {
      let existing = participants[user]?.tracks.map(\.info.trackId) ?? []
      participant.plan.set(wanted, user: user, existing: existing)
    }
    for trackId in tracks { participant.plan.set(wanted, track: trackId) }
    return {
      // Who speaks in a mix and begins to hear it gets it without itself.
      for other in self.participants.values where other.mixed != nil { self.renewOwn(of: other) }
      self.renewSubscriptions(of: participant)
    }
  }

  /// Takes the answer to the offer in flight.
  func accept(_ params: AnswerParams, from participant: Participant) throws(RoomError) -> () -> Void {
    guard var transport = participant.subscribing, let pending = transport.pending else {
      throw RoomError(.subscribeFailed, "no offer is waiting for an answer")
    }
    guard params.offer == pending.offer else {
      throw RoomError(.subscribeFailed, "offer \(pending.offer) is waiting for its answer, not \(params.offer)")
    }
    let settled: SubscribeTransport.Settled
    do {
      settled = try transport.accept(params.sdp) { nextSubscriptionID() }
    } catch {
      throw RoomError(.subscribeFailed, "the answer was refused: \(error)")
    }
    participant.subscribing = transport
    if let remote = settled.remote { media.connectTransport(transport.id, remote: remote) }
    for accepted in settled.accepted {
      media.subscribe(accepted.subscription, to: accepted.track, on: transport.id, parameters: accepted.parameters)
    }
    return {
      self.tellFailed(settled.rejected, to: participant)
      self.renewSubscriptions(of: participant)
    }
  }

  /// Begins a new subscribe transport for a client that lost the old one.
  func resubscribe(_ participant: Participant) throws(RoomError) -> () -> Void {
    guard participant.grants.contains(.subscribe) else {
      throw RoomError(.noPermission, "the token has no grant to subscribe")
    }
    return {
      if let old = participant.subscribing { self.media.closeTransport(old.id) }
      participant.subscribing = nil
      participant.plan.retry()
      self.renewSubscriptions(of: participant)
    }
  }
}
