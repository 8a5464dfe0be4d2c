import RoomRTP
import RoomProtocol
import RoomState
import RoomToken
import RoomSFU
import RoomWebRTC

// How tracks start and end, whichever entry point publishes them.

extension RoomCore {
  /// Answers a client's offer for its publish transport.
  mutating func publish(_ params: PublishParams, by user: UserID) throws(RoomError) -> PublishResult {
    guard let participant = roster[user] else { throw Self.noSuchUser(user) }
    // Such a client also offers a transport without a track, and waits for its answer.
    let isEmpty = participant.traits.contains(.choosesTrackIDs) && params.tracks.isEmpty
    guard isEmpty || participant.grants.contains(.publish) || state.mayPublish(user) else {
      throw RoomError(.noPermission, "the participant has no grant to publish")
    }
    if let refused = params.tracks.first(where: { !participant.mayPublish(tag: $0.tag ?? "") }) {
      throw RoomError(.noPermission, "the participant may not publish a track with the tag \"\(refused.tag ?? "")\"")
    }
    guard isEmpty || !participant.isHidden else {
      throw RoomError(.noPermission, "a hidden participant can't publish: its tracks would reveal it")
    }
    for track in params.tracks {
      if let validationError = track.validationError { throw RoomError(.publishFailed, validationError) }
    }

    let restarts = params.restart ?? false
    let old = participant.publishing
    let isNew = restarts || old == nil
    var transport: PublishTransport
    var restarted: ICECredentials?
    if let old, !restarts {
      transport = old
      if transport.negotiation.restartsICE(params.sdp) {
        let credentials = ICECredentials.random(using: &entropy)
        transport.negotiation.local.credentials = credentials
        restarted = credentials
      }
    } else {
      // Its transport exists from the join on.
      guard !participant.traits.contains(.hasSingleConnection) else {
        throw RoomError(.publishFailed, "the client's connection was closed")
      }
      transport = publishTransport(of: participant)
    }
    let answered: AnsweredOffer
    do {
      answered = try transport.negotiation.answer(params.sdp, sending: participant.receiving.transport?.tracksToSend ?? [])
    } catch {
      throw RoomError(.publishFailed, "the offer was rejected: \(error)")
    }
    let change = try PublishChange(
      params, answered: answered, published: isNew ? [] : participant.tracks, before: restarts ? participant.tracks : [])
    try checkTrackCount(change.count)
    if let restarted {
      order(.restart(transport.id, restarted))
      _ = roster.change(user) { $0.receiving.transport?.noteSharedRestart(of: transport.id) }
    }
    let result = publish(
      Publication(transport: transport, answered: answered, change: change, isNew: isNew, restarts: restarts), by: user)
    setBackups(params.backups, in: answered.media, on: transport.id, of: user)
    return result
  }

  /// Returns a new transport for what a participant publishes.
  mutating func publishTransport(of participant: Participant) -> PublishTransport {
    PublishTransport(
      id: ids.transport(), local: localTransport(at: participant.annex), data: dataParameters(of: participant),
      sends: participant.traits.contains(.hasSingleConnection))
  }

  mutating func checkTrackCount(_ number: Int) throws(RoomError) {
    guard number <= settings.limits.clientLimits.tracksPerParticipant else {
      count(.limit(.tracks))
      throw RoomError(
        .publishFailed, "a participant publishes at most \(settings.limits.clientLimits.tracksPerParticipant) tracks")
    }
  }

  /// Applies a publication that was checked; nothing fails from here on.
  mutating func publish(_ publication: Publication, by user: UserID) -> PublishResult {
    let (transport, answered, change) = (publication.transport, publication.answered, publication.change)
    let old = roster[user]?.publishing
    if publication.isNew { order(.open(transport.id, local: transport.local, at: roster[user]?.annex)) }
    if publication.isNew || answered.remoteChanged { order(.connect(transport.id, answered.remote)) }
    // On a single connection the client opens the channels, also those on which it receives.
    let channels = answered.sending == nil ? [] : roster[user]?.data?.channels.all ?? []
    enableData(answered.data, on: transport.id, sendingOn: OutgoingChannels(channels, areOpenedByClient: true))
    roster.setPublishing(transport, of: user)
    let before = roster[user]?.tracks.map(\.id) ?? []
    var carried: [Mid: TrackInfo] = [:]
    var renewed: [PublishedTrack] = []
    for var track in change.kept {
      // The workers treat media on a new transport as new: others receive it on new streams, under the same track id.
      if publication.restarts {
        let old = track
        track = PublishedTrack(
          id: ids.track(), info: old.info, parameters: old.parameters, seenLandscape: old.seenLandscape,
          wasSubscribed: old.wasSubscribed, hasReportedSubscriber: old.hasReportedSubscriber)
      }
      roster.replace(track, of: user)
      order(.publish(track.id, on: transport.id, track.parameters))
      if track.info.muted { order(.mute(track.id, true)) }
      carried[track.parameters.mid] = track.info
      if publication.restarts { renewed.append(track) }
    }
    var added: [PublishedTrack] = []
    for new in change.added {
      var info = TrackInfo(new.track, id: trackID(of: new.track, by: user), codec: new.parameters.codecs.first?.name)
      info.layers = new.parameters.layerNames
      let track = PublishedTrack(id: ids.track(), info: info, parameters: new.parameters)
      order(.publish(track.id, on: transport.id, track.parameters))
      if info.muted { order(.mute(track.id, true)) }
      carried[track.parameters.mid] = info
      added.append(track)
    }
    if publication.restarts, let old {
      order(.close(old.id))
      order(.forgetTracks(before))
    }
    withdraw(Set(change.removed.map(\.info.trackId)), of: user)
    note(renewed, of: user)
    announce(added, of: user)
    if let sending = answered.sending { receive(sending, by: user) }
    return PublishResult(
      sdp: answered.sdp,
      tracks: change.order.compactMap { mid in carried[mid].map { PublishedTrackInfo(mid: mid.rawValue, track: $0) } })
  }

  private mutating func trackID(of new: NewTrack, by user: UserID) -> TrackID {
    let mayChoose = roster[user]?.traits.contains(.choosesTrackIDs) ?? false
    if mayChoose, let chosen = new.trackId, roster.owner(of: chosen) == nil { return chosen }
    return newTrackID()
  }

  /// Publishes a track whose packets this server produces.
  /// - Parameter layers: The number of sizes in which a video is produced.
  mutating func inject(
    _ new: NewTrack, _ codec: RTPCodec, cname: String, muted: Bool = false, layers: Int = 1
  ) -> PublishedTrack {
    let parameters = RTPParameters(mid: "", kind: new.kind == .video ? .video : .audio, codecs: [codec], cname: cname)
    var info = TrackInfo(new, id: newTrackID(), codec: codec.name)
    info.muted = muted
    let track = PublishedTrack(id: ids.track(), info: info, parameters: parameters)
    order(.inject(track.id, parameters, layers: layers))
    return track
  }

  /// Adds tracks to a participant and announces them. Every track is published through this method.
  mutating func announce(_ added: [PublishedTrack], of user: UserID) {
    guard !added.isEmpty, let participant = roster[user] else { return }
    for track in added {
      roster.add(track, of: user)
      log(
        .info, "published",
        [
          "user": "\(user)", "track": "\(track.info.trackId)", "kind": "\(track.info.kind)",
          "codec": "\(track.info.codec?.rawValue ?? "")",
        ])
    }
    broadcast(.published(PublishedData(userId: user, tracks: added.map(\.info))), besides: user)
    if !participant.isVirtual {
      for track in added {
        let data = WebhookEventData.Published(userId: user, joinedAt: participant.info.joinedAt, track: track.info)
        emit(.report(.trackPublished, data))
      }
    }
    if let seat = state.seat(of: user) { applySwitches(of: seat) }
    note(added, of: user)
  }

  /// Unpublishes tracks of the caller.
  mutating func unpublish(_ selection: TrackSelection, by user: UserID) throws(RoomError) {
    guard let participant = roster[user] else { throw Self.noSuchUser(user) }
    var gone: Set<TrackID> = []
    for trackId in selection.trackIds ?? [] {
      guard participant.track(trackId) != nil else {
        throw RoomError(.publishFailed, "you publish no track \"\(trackId.brief)\"")
      }
      gone.insert(trackId)
    }
    for other in selection.userIds ?? [] {
      guard other == user else {
        throw RoomError(.noPermission, "users can unpublish only their own tracks; mute or kick others")
      }
      gone = Set(participant.tracks.map(\.info.trackId))
    }
    withdraw(gone, of: user)
  }

  /// Removes tracks and announces that they ended.
  mutating func withdraw(_ trackIds: Set<TrackID>, of user: UserID) {
    guard let participant = roster[user], !trackIds.isEmpty else { return }
    let gone = roster.remove(trackIds, of: user)
    guard !gone.isEmpty else { return }
    for track in gone {
      if participant.presence.isLinked { order(.unlink(track.id)) }
      order(.unpublish(track.id))
      log(.info, "unpublished", ["user": "\(user)", "track": "\(track.info.trackId)"])
    }
    order(.forgetTracks(gone.map(\.id)))
    let ids = gone.map(\.info.trackId)
    broadcast(.unpublished(UnpublishedData(userId: user, trackIds: ids)), besides: user)
    if !participant.isVirtual { reportUnpublished(gone.map(\.info), of: participant) }
    roster.forgetChoices(ofTracks: Set(ids))
    note(gone, of: user, areGone: true)
  }

  mutating func withdrawAll(of user: UserID) { withdraw(Set(roster[user]?.tracks.map(\.info.trackId) ?? []), of: user) }

  /// Records that tracks started, changed or ended, for ``reconcile()``.
  mutating func note(_ tracks: [PublishedTrack], of user: UserID, areGone: Bool = false) {
    for track in tracks { changes.tracks[track.info.trackId] = user }
    if !tracks.isEmpty { changes.owners.insert(user) }
  }

  // MARK: Muting

  /// Mutes or unmutes a track: a participant's own; with the admin grant, or for the API, anybody's.
  /// - Parameter operation: the user that does it; nil for the API.
  @discardableResult
  mutating func mute(_ trackId: TrackID, _ muted: Bool, by operation: UserID?) throws(RoomError) -> TrackInfo {
    guard let owner = roster.owner(of: trackId), let track = owner.track(trackId) else {
      throw RoomError(.subscribeFailed, "there is no track \"\(trackId.brief)\" in the room")
    }
    if let operation {
      guard owner.user == operation || roster[operation]?.grants.contains(.admin) == true else {
        throw RoomError(.noPermission, "muting others needs the admin grant")
      }
    }
    // Includes a track that was muted before its seat was.
    if !muted, isSwitchedOff(track.info.kind, of: owner.user) {
      throw RoomError(.wrongMicState, "this track is muted by the seat's switches: change them with setSeat")
    }
    setMuted(muted, track, of: owner.user, by: operation)
    return roster[owner.user]?.track(trackId)?.info ?? track.info
  }

  mutating func setMuted(_ muted: Bool, _ track: PublishedTrack, of user: UserID, by operation: UserID?) {
    guard track.info.muted != muted else { return }
    var changed = track
    changed.info.muted = muted
    roster.replace(changed, of: user)
    order(.mute(track.id, muted))
    muteBackups(of: track.info.trackId, muted)
    changes.muted.insert(user)
    log(
      .info, muted ? "muted" : "unmuted",
      ["user": "\(user)", "track": "\(track.info.trackId)", "by": "\(operation?.rawValue ?? "API")"])
    broadcast(
      .muteChanged(MuteData(userId: user, trackId: track.info.trackId, muted: muted, by: operation ?? "")), besides: operation)
  }

  /// Mutes and unmutes the tracks of a seat's user according to the seat's switches.
  mutating func applySwitches(of seat: SeatInfo) {
    guard let user = seat.userId, let participant = roster[user] else { return }
    for track in participant.tracks {
      let isOff = seat.isOff(track.info.kind)
      if isOff, !track.info.muted {
        _ = roster.change(user) { $0.mutedBySeat.insert(track.info.trackId) }
        setMuted(true, track, of: user, by: nil)
      } else if !isOff, roster.change(user, { $0.mutedBySeat.remove(track.info.trackId) }) ?? nil != nil {
        setMuted(false, track, of: user, by: nil)
      }
    }
  }

  /// Returns whether the switches of a user's seat mute tracks of a kind.
  private func isSwitchedOff(_ kind: TrackKind, of user: UserID) -> Bool { state.seat(of: user)?.isOff(kind) ?? false }

  static func noSuchUser(_ user: UserID) -> RoomError {
    RoomError(.notInRoom, "there is no user \"\(user.brief)\" in the room")
  }
}

extension SeatInfo {
  /// Returns whether its switches mute tracks of a kind.
  func isOff(_ kind: TrackKind) -> Bool { kind == .audio ? muted || !audio : !video }
}
