import RoomProtocol

/// Subscribing, and the server's offers.
extension RoomSession {
  func subscribe(trackIds: [TrackID], userIds: [UserID]) async throws {
    let _: Empty = try await request(.subscribe(TrackSelection(trackIds: trackIds, userIds: userIds)))
    chosen.trackIds.formUnion(trackIds)
    chosen.userIds.formUnion(userIds)
  }

  func unsubscribe(trackIds: [TrackID], userIds: [UserID]) async throws {
    let _: Empty = try await request(.unsubscribe(TrackSelection(trackIds: trackIds, userIds: userIds)))
    chosen.trackIds.subtract(trackIds)
    chosen.userIds.subtract(userIds)
  }

  func setReception(_ reception: TrackReception) async throws {
    let _: Empty = try await request(.setReception(ReceptionParams(tracks: [reception])))
    receptions[reception.trackId] = reception
  }

  func setAudioLevels(_ enabled: Bool) async throws {
    let _: Empty = try await request(.setAudioLevels(AudioLevelsParams(enabled: enabled)))
    wantsLevels = enabled
  }

  func setReceiving(_ enabled: Bool) async throws {
    let before = isReceiving
    isReceiving = enabled
    do {
      let _: Empty = try await request(.setReceiving(ReceivingParams(enabled: enabled)))
    } catch let error as RoomError {
      isReceiving = before
      throw error
    } catch {
      owesReceiving = true
      throw error
    }
  }

  /// Tells a new or resumed session whether tracks are received, unless it knows.
  func tellReceiving(resumed: Bool) {
    defer { owesReceiving = false }
    guard resumed ? owesReceiving : !isReceiving else { return }
    link?.tell(.setReceiving(ReceivingParams(enabled: isReceiving)))
  }

  func playURLs(_ picture: PlayPicture) async throws -> PlayURLs {
    let urls = try await request(.getPlayURLs(picture), for: PlayURLs.self)
    if picture == .original { store.change { $0.room?.play = urls } }
    return urls
  }

  /// Answers an offer for the subscribe transport, and sends the events of its changes.
  func answer(_ offer: OfferData) {
    do {
      let generation = subscriber.generation
      let change = try subscriber.answer(offer) {
        roster.track($0)?.info
      } receive: { [weak self] in
        try await self?.setReception($0)
      }
      if subscriber.generation != generation { media.subscribeRepair.opened(now: .now) }
      link?.tell(.answer(AnswerParams(offer: offer.offer, sdp: change.answer)))
      show(begun: change.begun, ended: change.ended)
    } catch {
      logger.debug("an offer could not be answered: \(error)")
      media.subscribeRepair.failed(now: .now)
    }
  }

  func show(begun: [RemoteTrack], ended: [RemoteTrack]) {
    store.change { value in
      for track in ended { value.remoteTracks[track.trackId] = nil }
      for track in begun { value.remoteTracks[track.trackId] = track }
    }
    for track in ended {
      track.end()
      store.say(.trackUnsubscribed(track))
    }
    for track in begun { store.say(.trackSubscribed(track)) }
    if subscriber.isEmpty { media.subscribeRepair.closed() }
  }

  func endSubscriptions() {
    show(begun: [], ended: subscriber.close())
    media.subscribeRepair.closed()
  }
}
