import RoomProtocol
import SFU

extension Room {
  /// What the media worker says.
  func heard(_ event: MediaEvent) {
    guard !isClosed else { return }
    switch event {
    case .transportConnected(let id): note("transport connected", id)
    case .transportDisconnected(let id): note("transport silent", id)
    case .transportFailed(let id, let failure): drop(id, because: "failed: \(failure.rawValue)")
    case .transportClosed(let id): drop(id, because: "closed by the client")
    case .firstPacket(let id):
      guard let (owner, track) = owner(of: id) else { return }
      log.debug("first packet", metadata: ["user": "\(owner.userId)", "track": "\(track.info.trackId)"])
    case .audioLevels(let levels): tellLevels(levels)
    case .activeSpeakers(let tracks):
      var users: [String] = []
      for track in tracks {
        if let user = owner(of: track)?.owner.userId, !users.contains(user) { users.append(user) }
      }
      tell(.activeSpeakers(ActiveSpeakersData(userIds: users)), besides: nil, where: \.wantsLevels)
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
  /// again when the client asks with `resubscribe`.
  private func drop(_ id: TransportID, because reason: String) {
    note("transport \(reason)", id)
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
    for participant in participants.values {
      let direction =
        participant.publishing?.id == id ? "publish" : participant.subscribing?.id == id ? "subscribe" : nil
      guard let direction else { continue }
      log.info("\(what)", metadata: ["user": "\(participant.userId)", "transport": "\(direction)"])
    }
  }

  private func owner(of id: TrackID) -> (owner: Participant, track: PublishedTrack)? {
    for participant in participants.values {
      if let track = participant.tracks.first(where: { $0.id == id }) { return (participant, track) }
    }
    return nil
  }
}
