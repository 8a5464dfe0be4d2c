import RoomProtocol
import SFU

extension Room {
  /// What the media worker says.
  func heard(_ event: MediaEvent) {
    guard !isClosed else { return }
    switch event {
    case .transportConnected(let id):
      note("transport connected", id)
      if let participant = ingesting(on: id) { ingestConnected(participant) }
      if let viewer = viewer(on: id) { connected(viewer) }
    case .transportDisconnected(let id):
      note("transport silent", id)
      if let participant = ingesting(on: id) { lose(participant) }
      if let viewer = viewer(on: id) { wait(for: viewer, settings.graceTime) }
    case .transportFailed(let id, let failure): drop(id, because: "failed: \(failure)", reason: .timedOut)
    case .transportClosed(let id): drop(id, because: "closed by the client", reason: .left)
    case .firstPacket(let id):
      guard let (owner, track) = owner(of: id) else { return }
      log.debug("first packet", metadata: ["user": "\(owner.userId)", "track": "\(track.info.trackId)"])
    case .audioLevels(let levels): tellLevels(levels)
    case .activeSpeakers(let tracks):
      var users: [UserID] = []
      for track in tracks {
        if let user = owner(of: track)?.owner.userId, !users.contains(user) { users.append(user) }
      }
      activeSpeakers = users
      tell(.activeSpeakers(ActiveSpeakersData(userIds: users)), besides: nil, where: \.wantsLevels)
      stage.heard(users, now: .now)
      renewStage()
    case .refused(let refusal):
      log.warning("the media worker refused a command", metadata: ["refusal": "\(refusal)"])
    }
  }

  private func tellLevels(_ levels: [TrackLevel]) {
    guard participants.values.contains(where: \.wantsLevels) else { return }
    let told = levels.compactMap { level in
      owner(of: level.track).map {
        AudioLevel(userId: $0.owner.userId, trackId: $0.track.info.trackId, level: level.level)
      }
    }
    guard !told.isEmpty else { return }
    tell(.audioLevels(AudioLevelsData(levels: told)), besides: nil, where: \.wantsLevels)
  }

  /// Forgets a transport that can't be used any more. What was published on it is withdrawn; what was received on it comes
  /// again when the client asks with `resubscribe`. Who has no other connection leaves with it.
  private func drop(_ id: TransportID, because what: String, reason: EndReason) {
    note("transport \(what)", id)
    if let viewer = viewer(on: id) { return end(viewer, because: what) }
    if let participant = ingesting(on: id) { return end(participant, EndedData(reason: reason)) }
    for participant in participants.values {
      if participant.publishing?.id == id {
        media.closeTransport(id)
        participant.publishing = nil
        withdraw(participant.tracks, of: participant)
      } else if participant.subscribing?.id == id {
        media.closeTransport(id)
        participant.subscribing = nil
      }
    }
  }

  private func note(_ what: String, _ id: TransportID) {
    if let viewer = viewer(on: id) { log.info("\(what)", metadata: ["user": "\(viewer.token.user)", "transport": "view"]) }
    for participant in participants.values {
      let direction =
        participant.publishing?.id == id ? "publish" : participant.subscribing?.id == id ? "subscribe" : nil
      guard let direction else { continue }
      log.info("\(what)", metadata: ["user": "\(participant.userId)", "transport": "\(direction)"])
    }
  }

  private func owner(of id: MediaTrackID) -> (owner: Participant, track: PublishedTrack)? {
    for participant in participants.values {
      if let track = participant.tracks.first(where: { $0.id == id }) { return (participant, track) }
    }
    return nil
  }
}
