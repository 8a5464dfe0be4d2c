import RTP
import RoomProtocol
import RoomToken
import SFU
import WebRTC

// WHEP: sessions that only receive. A session takes a place in the room when its media connects; participants don't see it.

extension Room {
  /// Answers a viewer's offer. It is sent what is there now of its source, and what comes later, in the codecs that it offered.
  func view(_ token: RoomToken, _ source: Viewer.Source, offer: String) -> SessionOffer {
    guard !isClosed else { return .roomIsClosed }
    do throws(SessionRefusal) {
      if let full = fullSentence(for: nil, publishes: false) { throw .unavailable(RoomError(.joinFailed, full)) }
      if let sentence = sessionsSentence(for: token) { throw .tooManySessions(sentence) }
      let local = localTransport(answering: offer)
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
        throw .notAcceptable(RoomError(.subscribeFailed, "m-line \(rejected.mid.prefix(32)): \(rejected.reason)"))
      }
      guard let first = answered.media.first else { throw .badRequest("the offer has no m-line that receives") }
      let resource = SessionResource(
        user: token.user, transport: nextTransportID(), local: local, remote: answered.remote, media: first)
      let viewer = Viewer(token: token, source: source, resource: resource, media: answered.media)
      media.openTransport(resource.transport, credentials: local.credentials, role: local.role ?? .server)
      media.connectTransport(resource.transport, remote: answered.remote)
      viewers[resource.id] = viewer
      stayOpen()
      wait(for: viewer, settings.connectTime)
      renew(viewer)
      surroundings.counters.count { $0.whepSessions += 1 }
      log.info("views", metadata: ["user": "\(token.user)", "source": "\(source)", "viewers": "\(viewers.count)"])
      return .answered(SessionAnswer(resource: resource, sdp: answered.sdp))
    } catch {
      return .refused(error)
    }
  }

  func viewer(on transport: TransportID) -> Viewer? { viewers.values.first { $0.resource.transport == transport } }

  func connected(_ viewer: Viewer) {
    viewer.waiting?.cancel()
    guard !viewer.takesPlace else { return }
    // The room may have filled since the offer.
    if fullSentence(for: nil, publishes: false) != nil { return end(viewer, because: "the room is full") }
    viewer.takesPlace = true
  }

  /// Ends the session of a viewer that can't be reached for so long.
  func wait(for viewer: Viewer, _ time: Duration) {
    viewer.waiting?.cancel()
    viewer.waiting = Task { [weak self, id = viewer.resource.id] in
      guard (try? await Task.sleep(for: time)) != nil else { return }
      await self?.waitIsOver(for: id)
    }
  }

  private func waitIsOver(for id: SessionResourceID) {
    // Cancelled meanwhile, where its media came just now.
    guard let viewer = viewers[id], viewer.waiting?.isCancelled == false else { return }
    end(viewer, because: "timed out")
  }

  func end(_ viewer: Viewer, because reason: String) {
    guard viewers.removeValue(forKey: viewer.resource.id) != nil else { return }
    viewer.waiting?.cancel()
    media.closeTransport(viewer.resource.transport)
    log.info("viewer left", metadata: ["user": "\(viewer.token.user)", "reason": "\(reason)", "viewers": "\(viewers.count)"])
    startEmptyTime(settings.emptyTime)
  }

  // MARK: What they are sent

  /// Brings what viewers are sent to what is published now.
  func renewViewers() {
    advanceStage()
    for viewer in viewers.values { renew(viewer) }
  }

  /// As `renewViewers`, where only who speaks has changed.
  func renewStage() {
    guard advanceStage() else { return }
    for viewer in viewers.values where viewer.source == .stage { renew(viewer) }
  }

  private func renew(_ viewer: Viewer) {
    let user: UserID? =
      switch viewer.source {
      case .user(let user): user
      case .stage: stage.user
      }
    let tracks = user.flatMap { participants[$0]?.tracks } ?? []
    for index in viewer.lines.indices {
      let line = viewer.lines[index]
      let choice = line.choice(of: tracks)
      guard choice?.id != line.playing?.track else { continue }
      if let playing = line.playing { media.unsubscribe(playing.subscription) }
      viewer.lines[index].playing = choice.map { track in
        let subscription = nextSubscriptionID()
        media.subscribe(
          subscription, to: track.id, on: viewer.resource.transport, parameters: line.parameters, continues: true)
        return (track.id, subscription)
      }
    }
  }

  /// Whom the stage shows, and when it has to be asked again. True where it shows somebody else now.
  @discardableResult private func advanceStage() -> Bool {
    let publishers = participants.values.filter { !$0.tracks.isEmpty }
      .sorted {
        ($0.grants.contains(.admin) ? 0 : 1, $0.joinedAt, $0.userId) < (
          $1.grants.contains(.admin) ? 0 : 1, $1.joinedAt, $1.userId
        )
      }
    let now = Instant.now
    let changed = stage.advance(publishers: publishers.map(\.userId), now: now)
    stageChange?.cancel()
    stageChange = stage.deadline.map { deadline in
      Task { [weak self] in
        guard (try? await Task.sleep(for: .microseconds(max(0, deadline - now) + 1000))) != nil else { return }
        await self?.renewStage()
      }
    }
    return changed
  }
}
