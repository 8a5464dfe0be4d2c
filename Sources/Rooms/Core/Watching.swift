import RoomRTP
import RoomProtocol
import RoomToken
import RoomSFU
import RoomWebRTC

// WHIP and WHEP: sessions over HTTP. A WHIP session is a participant whose media is its connection; a WHEP session is a viewer.

extension RoomCore {
  /// Maximum number of HTTP sessions that wait for their media. These sessions do not count as present yet, but each has a
  /// transport.
  private static let maximumWaiting = 1000

  // MARK: WHIP

  /// Adds a user with the tracks that its offer publishes. A participant of the same name is replaced, as with any join.
  /// - Parameter annex: the server that has the session's media; nil for this one.
  mutating func publish(
    _ token: RoomToken, offer: String, profile: ParticipantProfile? = nil, annex: MediaAnnexID? = nil
  ) throws(SessionRefusal) -> SessionAnswer {
    let publication = try publication(of: offer, at: annex)
    do throws(RoomError) { try checkCapacity(for: token, publishes: true) } catch {
      throw error.code == .joinFailed ? .unavailable(error) : SessionRefusal(status: 403, error: error)
    }
    let answered = publication.answered
    guard let first = answered.media.first else { throw .badRequest("the offer has no sending m-line") }
    let resource = SessionResource(
      user: token.user, transport: publication.transport.id, local: publication.transport.negotiation.local,
      remote: answered.remote, media: first, entropy: &entropy)
    var participant = newParticipant(token, .whip(resource), isConnected: false, annex: annex)
    (participant.countsAsPresent, participant.profile) = (false, profile)
    do throws(RoomError) { try enter(participant) } catch { throw .unavailable(error) }
    changeState { $0.setConnected(token.user, false) }
    _ = publish(publication, by: token.user)
    timers.set(.grace(token.user), at: time(in: settings.connectTime))
    count(.whipSession)
    return SessionAnswer(resource: resource, sdp: answered.sdp)
  }

  /// Makes a track of every sending m-line in the offer, or throws.
  private mutating func publication(of offer: String, at annex: MediaAnnexID?) throws(SessionRefusal) -> Publication {
    var transport = PublishTransport(id: ids.transport(), local: localTransport(answering: offer, at: annex))
    let answered: AnsweredOffer
    do {
      answered = try transport.negotiation.answer(offer)
    } catch {
      throw .offer(error, .publishFailed)
    }
    if let rejected = answered.rejected.first(where: { !Self.isDataChannel($0.mid, in: offer) }) {
      throw .notAcceptable(RoomError(.publishFailed, "m-line \(rejected.mid.rawValue.prefix(32)): \(rejected.reason)"))
    }
    guard !answered.media.isEmpty else {
      throw .offer(.refused("it has no sending audio or video m-line"), .publishFailed)
    }
    let tracks = answered.media.enumerated().map { index, media in
      let isMain = !answered.media[..<index].contains { $0.kind == media.kind }
      return NewTrack(mid: media.mid.rawValue, kind: media.kind == .audio ? .audio : .video, master: isMain)
    }
    do throws(RoomError) {
      try checkTrackCount(answered.media.count)
      let change = try PublishChange(
        PublishParams(sdp: offer, tracks: tracks), answered: answered, published: [], before: [])
      return Publication(transport: transport, answered: answered, change: change, isNew: true)
    } catch {
      throw .notAcceptable(error)
    }
  }

  /// Returns this server's side of a transport for an offer: the DTLS server, unless the client accepts no other role, as
  /// ffmpeg's WHIP muxer.
  private mutating func localTransport(answering offer: String, at annex: MediaAnnexID?) -> TransportParameters {
    let theirs = try? SessionDescription(parsing: offer).transport().role
    return localTransport(theirs == .server ? .client : .server, at: annex)
  }

  /// Data channels are skipped; audio and video continue without them.
  private static func isDataChannel(_ mid: Mid, in offer: String) -> Bool {
    let description = try? SessionDescription(parsing: offer)
    return description?.media.first { $0.mid == mid }?.kind == "application"
  }

  /// Handles the connection of a WHIP session's media, for the first time or again.
  mutating func mediaConnected(_ user: UserID) {
    guard let participant = roster[user], !participant.isConnected else { return }
    if !participant.countsAsPresent {
      // The room may have filled since the offer.
      if capacityError(for: nil, publishes: true) != nil {
        count(.limit(.participants))
        return end(user, EndedData(reason: .timedOut))
      }
      roster.setPresent(true, user)
    }
    reconnect(user, on: nil)
    resumePK(of: user)
  }

  // MARK: WHEP

  /// Answers a viewer's offer. The viewer receives the present and later tracks of its source, in the codecs that it offered.
  /// - Parameter annex: the server that has the session's media; nil for this one.
  mutating func view(
    _ token: RoomToken, _ source: Viewer.Source, offer: String, annex: MediaAnnexID? = nil
  ) throws(SessionRefusal) -> SessionAnswer {
    if let full = capacityError(for: nil, publishes: false) {
      count(.limit(.participants))
      throw .unavailable(RoomError(.joinFailed, full))
    }
    if let sentence = sessionLimitError(for: token) {
      count(.limit(.sessions))
      throw .tooManySessions(sentence)
    }
    let local = localTransport(answering: offer, at: annex)
    let name =
      switch source {
      case .user(let user): user.rawValue
      case .stage: self.name.rawValue
      }
    let answered: AnsweredView
    do {
      answered = try ViewNegotiation(local: local).answer(offer, name: name)
    } catch {
      throw .offer(error, .subscribeFailed)
    }
    if let rejected = answered.rejected.first {
      throw .notAcceptable(RoomError(.subscribeFailed, "m-line \(rejected.mid.rawValue.prefix(32)): \(rejected.reason)"))
    }
    guard let first = answered.media.first else { throw .badRequest("the offer has no receiving m-line") }
    let resource = SessionResource(
      user: token.user, transport: ids.transport(), local: local, remote: answered.remote, media: first, entropy: &entropy)
    order(.open(resource.transport, local: local, at: annex))
    order(.connect(resource.transport, answered.remote))
    viewers.add(Viewer(token: token, source: source, resource: resource, media: answered.media, annex: annex))
    timers.set(.viewer(resource.id), at: time(in: settings.connectTime))
    changes.viewers.insert(resource.id)
    changes.stage = true
    count(.whepSession)
    log(.info, "viewer joined", ["user": "\(token.user)", "source": "\(source)", "viewers": "\(viewers.count)"])
    return SessionAnswer(resource: resource, sdp: answered.sdp)
  }

  /// Returns the reason why no further viewer session may start; nil if one may.
  private func sessionLimitError(for token: RoomToken) -> String? {
    let limits = settings.limits
    let ofUser = viewers.byID.values.filter { $0.token.user == token.user }
    let ofToken = ofUser.count { $0.token.id == token.id && $0.token.expires == token.expires }
    if ofToken >= limits.sessionsPerToken {
      return "the token has \(limits.sessionsPerToken) sessions in the room; end one or wait for one to time out"
    }
    if ofUser.count >= limits.sessionsPerUser {
      return "the user has \(limits.sessionsPerUser) sessions in the room; end one or wait for one to time out"
    }
    if viewers.waiting + roster.waiting >= Self.maximumWaiting {
      return "\(Self.maximumWaiting) sessions of the room wait for their media; try again in a few seconds"
    }
    return nil
  }

  mutating func viewerConnected(_ id: SessionResourceID) {
    timers.cancel(.viewer(id))
    guard let viewer = viewers[id], !viewer.countsAsPresent else { return }
    // The room may have filled since the offer.
    if capacityError(for: nil, publishes: false) != nil {
      count(.limit(.participants))
      return endViewer(id, because: "the room is full")
    }
    viewers.setPresent(id)
  }

  mutating func endViewer(_ id: SessionResourceID, because reason: String) {
    guard let viewer = viewers.remove(id) else { return }
    timers.cancel(.viewer(id))
    order(.close(viewer.resource.transport))
    changes.stage = true
    log(
      .info, "viewer left", ["user": "\(viewer.token.user)", "reason": "\(reason)", "viewers": "\(viewers.count)"])
  }

  // MARK: The resource

  /// Returns the session with that URL, of either protocol; it must belong to the user.
  func session(_ id: SessionResourceID, of user: UserID, _ direction: SessionDirection) throws(SessionRefusal)
    -> SessionResource
  {
    let found: SessionResource? =
      switch direction {
      case .publish: roster.all.lazy.compactMap(\.presence.resource).first { $0.id == id }
      case .view: viewers[id]?.resource
      }
    guard let found else { throw .noSuchSession }
    guard found.user == user else { throw .forbidden("the session belongs to another user") }
    return found
  }

  /// Trickles candidates or restarts ICE. Returns the session and the fragment that answers a restart.
  mutating func patch(
    _ id: SessionResourceID, of user: UserID, _ direction: SessionDirection, _ fragment: ICEFragment, match: String?
  ) throws(SessionRefusal) -> (SessionResource, ICEFragment?) {
    var resource = try session(id, of: user, direction)
    guard case .restart(let answer) = try resource.patch(fragment, match: match, entropy: &entropy) else {
      return (resource, nil)
    }
    order(.restart(resource.transport, resource.local.credentials))
    order(.connect(resource.transport, resource.remote))
    switch direction {
    case .publish: _ = roster.change(user) { $0.presence = .whip(resource) }
    case .view: viewers.setResource(resource)
    }
    count(.iceRestart)
    log(.info, "ICE restarted", ["user": "\(user)"])
    return (resource, answer)
  }

  /// Ends a session at its client's request.
  mutating func finish(_ id: SessionResourceID, of user: UserID, _ direction: SessionDirection) throws(SessionRefusal) {
    _ = try session(id, of: user, direction)
    switch direction {
    case .publish: end(user, EndedData(reason: .left))
    case .view: endViewer(id, because: "left")
    }
  }

  // MARK: Reconciling

  /// Updates what viewers receive to what is published now.
  mutating func reconcileViewers(_ changes: Changes) {
    var isStageNew = false
    if changes.speakers || !changes.owners.isEmpty { isStageNew = advanceStage() }
    guard isStageNew || !changes.owners.isEmpty || !changes.viewers.isEmpty else { return }
    // The mix of the stage comes first, while it is published. A viewer that can't decode it receives the speaker.
    let program = [Self.stageUser, stage.user].compactMap { $0 }
    let isProgramNew = isStageNew || changes.owners.contains(Self.stageUser)
    for (id, viewer) in viewers.byID {
      let users =
        switch viewer.source {
        case .user(let user): [user]
        case .stage: program
        }
      let isChanged = changes.viewers.contains(id) || users.contains(where: changes.owners.contains)
      guard isChanged || (isProgramNew && viewer.source == .stage) else { continue }
      renew(viewer, tracks: tracks(of: users, for: viewer))
    }
  }

  private mutating func renew(_ viewer: Viewer, tracks: [PublishedTrack]) {
    var lines = viewer.lines
    for index in lines.indices {
      let line = lines[index]
      let choice = line.choice(of: tracks) ?? rendition(of: tracks, for: line)
      guard choice?.id != line.playing?.track else { continue }
      if let playing = line.playing { order(.unsubscribe(playing.subscription)) }
      lines[index].playing = nil
      guard let choice else { continue }
      let subscription = ids.subscription()
      order(.subscribe(subscription, to: choice.id, on: viewer.resource.transport, line.parameters, continues: true))
      if line.parameters.kind == .video, let layer = viewer.layer { order(.setReception(subscription, layer.reception)) }
      lines[index].playing = (choice.id, subscription)
      if let owner = roster.owner(of: published(choice.id)) { noteSubscriber(of: choice, by: owner.user) }
    }
    viewers.setLines(lines, of: viewer.resource.id)
  }

  /// Returns the first video track in a codec that the viewer accepts.
  private mutating func rendition(of tracks: [PublishedTrack], for line: Viewer.Line) -> PublishedTrack? {
    guard line.parameters.kind == .video else { return nil }
    let video = tracks.filter { $0.info.kind == .video }
    guard let track = video.first(where: { $0.info.master }) ?? video.first else { return nil }
    let substitute = rendition(of: track) { codec in
      line.parameters.codecs.contains { $0.suitability(for: codec) != nil }
    }
    if case .given(let rendition) = substitute { return rendition }
    return nil
  }

  /// Chooses the user that the stage shows. Returns true if it changed.
  private mutating func advanceStage() -> Bool {
    let isNew = stage.advance(publishers: roster.publishers, first: { roster.firstPublisher }, now: now.instant)
    if let deadline = stage.deadline {
      timers.set(.speaker, at: max(deadline, now.instant.advanced(milliseconds: 1)))
    } else {
      timers.cancel(.speaker)
    }
    return isNew
  }
}

/// The direction of a session's media: WHIP's or WHEP's.
package enum SessionDirection: Sendable { case publish, view }
