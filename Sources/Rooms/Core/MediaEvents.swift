import RoomLiveOrigin
import RoomProtocol
import RoomToken
import RoomSFU
import RoomWebRTC

// Handles the media worker's events.

extension RoomCore {
  mutating func handle(_ event: MediaEvent) {
    guard !isClosed else { return }
    switch event {
    case .transportConnected(let id):
      log("transport connected", id)
      if let viewer = viewers.viewer(on: id) { viewerConnected(viewer.resource.id) }
      if let user = whipUser(on: id) { mediaConnected(user) }
    case .transportDisconnected(let id):
      log("transport silent", id)
      if let viewer = viewers.viewer(on: id) {
        timers.set(.viewer(viewer.resource.id), at: time(in: settings.graceTime))
      }
      if let user = whipUser(on: id) { lose(user) }
    case .transportFailed(let id, .slow):
      // The participant has missed messages. The participant's client begins anew.
      if let (participant, _) = roster.owner(of: id) { end(participant.user, EndedData(reason: .timedOut)) }
    case .transportFailed(let id, let failure): drop(id, because: "failed: \(failure)", reason: .timedOut)
    case .transportClosed(let id): drop(id, because: "closed by the client", reason: .left)
    case .firstPacket(let id):
      guard !backupArrived(id), let owner = roster.owner(of: id), let track = owner.tracks.first(where: { $0.id == id }) else {
        return
      }
      log(.debug, "first packet", ["user": "\(owner.user)", "track": "\(track.info.trackId)"])
    case .shapeChanged(let id, let isLandscape): setShape(of: id, isLandscape: isLandscape)
    case .audioLevels(let levels): sendLevels(levels)
    case .activeSpeakers(let tracks): setSpeakers(tracks)
    case .layersWanted(let id, let rids): sendWantedLayers(id, rids.map(\.rawValue))
    case .layersChanged(let id, let layers): setLayers(id, layers)
    case .streamChanged(let id, let transport, let state): sendStream(id, on: transport, state)
    case .qualityChanged(let id, let publishing, let subscribing): setQuality(on: id, publishing, subscribing)
    // The room passes messages on by itself.
    case .messageReceived: break
    case .refused(let refusal): log(.warning, "the media worker rejected a command", ["refusal": "\(refusal)"])
    }
  }

  /// Returns the participant whose only connection is this transport.
  private func whipUser(on transport: TransportID) -> UserID? {
    guard let participant = roster.owner(of: transport)?.participant, participant.presence.resource != nil else { return nil }
    return participant.user
  }

  /// Lets the stage compose a camera by the shape of its pictures. Encoders that publish by WHIP announce none, and phones turn.
  private mutating func setShape(of id: MediaTrackID, isLandscape: Bool) {
    guard let owner = roster.owner(of: id), var track = owner.tracks.first(where: { $0.id == id }) else { return }
    let known = track.isLandscape
    track.seenLandscape = isLandscape
    roster.replace(track, of: owner.user)
    if known != isLandscape { changes.stage = true }
  }

  private mutating func sendLevels(_ levels: [TrackLevel]) {
    guard !roster.levelListeners.isEmpty else { return }
    let known = levels.compactMap { level -> AudioLevel? in
      guard let owner = roster.owner(of: level.track), let track = owner.tracks.first(where: { $0.id == level.track }) else {
        return nil
      }
      return AudioLevel(userId: owner.user, trackId: track.info.trackId, level: level.level)
    }
    guard !known.isEmpty else { return }
    send(.audioLevels(AudioLevelsData(levels: known)), to: roster.levelListeners)
  }

  private mutating func setSpeakers(_ tracks: [MediaTrackID]) {
    var users: [UserID] = []
    for track in tracks {
      if let user = roster.owner(of: track)?.user, !users.contains(user) { users.append(user) }
    }
    activeSpeakers = users
    send(.activeSpeakers(ActiveSpeakersData(userIds: users)), to: roster.levelListeners)
    stage.setSpeakers(users, now: now.instant)
    changes.speakers = true
  }

  /// Removes a transport that is no longer usable. The tracks published on it end; those received on it return when the client
  /// calls `resubscribe`. A session without another connection ends with it.
  private mutating func drop(_ id: TransportID, because what: String, reason: EndReason) {
    log("transport \(what)", id)
    if let viewer = viewers.viewer(on: id) { return endViewer(viewer.resource.id, because: what) }
    guard let (participant, direction) = roster.owner(of: id) else { return endLeaving(id) }
    if participant.presence.resource != nil { return end(participant.user, EndedData(reason: reason)) }
    if participant.traits.contains(.keepsTransports) {
      // It has to begin anew; while it is away, it learns that when it returns.
      if reason == .timedOut, participant.isConnected { return end(participant.user, EndedData(reason: reason)) }
      _ = roster.change(participant.user) { $0.hasLostTransport = true }
    }
    order(.close(id))
    switch direction {
    case .publish:
      roster.setPublishing(nil, of: participant.user)
      if participant.receiving.transport?.id == id { roster.setReceiving(nil, of: participant.user) }
      withdrawAll(of: participant.user)
    case .subscribe: roster.setReceiving(nil, of: participant.user)
    }
  }

  private mutating func log(_ what: String, _ id: TransportID) {
    if let viewer = viewers.viewer(on: id) {
      log(.info, "\(what)", ["user": "\(viewer.token.user)", "transport": "view"])
    } else if let (participant, direction) = roster.owner(of: id) {
      log(.info, "\(what)", ["user": "\(participant.user)", "transport": "\(direction)"])
    }
  }

  // MARK: Encoders

  /// Adds an encoder's stream as the token's user, or reconnects it within its grace time. Otherwise a participant of the same
  /// name is replaced, as with any join.
  /// - Parameter profile: what it shows of itself.
  mutating func publish(
    _ token: RoomToken, from encoder: ConnectionID, by encoderProtocol: EncoderProtocol, profile: ParticipantProfile? = nil
  ) -> Joined {
    guard !isClosed else { return .roomIsClosed }
    if let old = roster[token.user], old.presence.isEncoder, !old.isConnected, old.token.grants == token.grants {
      roster.setToken(token, of: old.user)
      _ = roster.change(old.user) { $0.presence = .encoder(encoderProtocol) }
      count(.resume)
      reconnect(old.user, on: encoder)
      log(.info, "\(encoderProtocol.name) stream reconnected", ["user": "\(token.user)"])
      count(.ingest(encoderProtocol))
      return .joined(old.session)
    }
    do throws(RoomError) {
      try checkCapacity(for: token, publishes: true)
      var participant = newParticipant(token, .encoder(encoderProtocol), connection: encoder)
      participant.profile = profile
      try enter(participant)
      resumePK(of: token.user)
      log(.info, "\(encoderProtocol.name) stream started", ["user": "\(token.user)"])
      count(.ingest(encoderProtocol))
      return .joined(participant.session)
    } catch { return .refused(error) }
  }

  /// Publishes a track of an encoder's stream. Returns nil if its participant has left.
  mutating func publish(_ track: EncoderTrack, from encoder: ConnectionID) -> MediaTrackID? {
    guard !isClosed, let user = roster.user(of: encoder) else { return nil }
    let new = NewTrack(
      mid: "", kind: track.kind, tag: track.kind == .video ? "camera" : "microphone", master: true,
      width: track.width.flatMap { (1...16384).contains($0) ? $0 : nil },
      height: track.height.flatMap { (1...16384).contains($0) ? $0 : nil }, fps: track.fps)
    var published = inject(new, track.codec, cname: track.cname)
    published.transcodedFrom = track.transcodedFrom
    if track.transcodedFrom != nil { count(.transcodedIngest) }
    announce([published], of: user)
    return published.id
  }

  /// Notes that an encoder's video is transcoded from now on, after it passed unchanged.
  package mutating func transcodes(_ source: String, from encoder: ConnectionID) {
    guard let user = roster.user(of: encoder), var track = roster[user]?.tracks.first(where: { $0.info.kind == .video })
    else { return }
    count(.transcodedIngest)
    track.transcodedFrom = source
    roster.replace(track, of: user)
  }

  /// Handles a stream whose connection closed or that stopped publishing: its tracks end, and its participant has the grace
  /// time.
  mutating func encoderLost(_ encoder: ConnectionID) {
    guard let user = roster.user(of: encoder) else { return }
    withdrawAll(of: user)
    lose(user, for: min(settings.graceTime, settings.encoderGraceTime))
  }

  /// Handles a stream that has ended by itself: its participant leaves.
  mutating func encoderLeft(_ encoder: ConnectionID) {
    if let user = roster.user(of: encoder) { end(user, EndedData(reason: .left)) }
  }

  /// Handles a stream that the room can't accept.
  package mutating func encoderFailed(_ encoder: ConnectionID, by encoderProtocol: EncoderProtocol, _ reason: String) {
    log(.notice, "\(encoderProtocol.name) stream rejected", ["reason": "\(reason)"])
    count(.ingestFault(encoderProtocol))
    if let user = roster.user(of: encoder) { end(user, EndedData(reason: .left)) }
  }
}

/// A track in an encoder's stream.
package struct EncoderTrack: Sendable {
  package var kind: TrackKind
  package var codec: RTPCodec
  package var width: Int?
  package var height: Int?
  package var fps: Int?
  /// What the track is transcoded from, such as HEVC; nil if it passes unchanged.
  package var transcodedFrom: String?
  /// The RTCP CNAME that synchronizes audio and video at the receivers.
  package var cname: String

  package init(
    kind: TrackKind, codec: RTPCodec, width: Int? = nil, height: Int? = nil, fps: Int? = nil, transcodedFrom: String? = nil,
    cname: String
  ) {
    self.kind = kind
    self.codec = codec
    self.width = width
    self.height = height
    self.fps = fps
    self.transcodedFrom = transcodedFrom
    self.cname = cname
  }
}
