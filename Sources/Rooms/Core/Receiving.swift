import RoomProtocol
import RoomSFU

// The quality in which clients receive tracks, and the layers that publishers should send.

extension RoomCore {
  /// Applies a client's choices for tracks of others. All are valid, or none is applied.
  mutating func setReception(_ params: ReceptionParams, of user: UserID) throws(RoomError) {
    guard roster[user]?.grants.contains(.subscribe) == true else {
      throw RoomError(.noPermission, "the token has no grant to subscribe")
    }
    guard params.tracks.count <= ReceptionParams.maximumTracks else {
      throw RoomError(.subscribeFailed, "at most \(ReceptionParams.maximumTracks) tracks are allowed in one call")
    }
    for choice in params.tracks {
      guard let owner = roster.owner(of: choice.trackId), owner.user != user else {
        throw RoomError(.subscribeFailed, "nobody else publishes a track \"\(choice.trackId.brief)\"")
      }
      if let problem = choice.validationError { throw RoomError(.subscribeFailed, problem) }
    }
    _ = roster.change(user) { participant in
      for choice in params.tracks { participant.receiving.plan.set(choice) }
    }
    for choice in params.tracks { applyReception(of: choice.trackId, by: user) }
  }

  mutating func setPrefersSmall(_ small: Bool, of user: UserID) {
    guard let receiving = roster[user]?.receiving, receiving.plan.prefersSmall != small else { return }
    _ = roster.change(user) { $0.receiving.plan.prefersSmall = small }
    for track in receiving.transport?.wantedIds.sorted(by: { $0.rawValue < $1.rawValue }) ?? [] {
      applyReception(of: track, by: user)
    }
  }

  /// Orders the current reception of a track that the user already receives.
  private mutating func applyReception(of track: TrackID, by user: UserID) {
    guard let receiving = roster[user]?.receiving, let subscription = receiving.transport?.subscription(to: track) else {
      return
    }
    order(.setReception(subscription, receiving.plan.reception(of: track)))
  }

  /// Tells a client which layers of its simulcast are in use.
  mutating func sendWantedLayers(_ id: MediaTrackID, _ wanted: [String]) {
    guard let owner = roster.owner(of: id), owner.presence.isClient,
      let track = owner.tracks.first(where: { $0.id == id })
    else { return }
    send(.layers(LayersData(layers: [WantedLayers(trackId: track.info.trackId, wanted: wanted)])), to: owner.user)
  }
}
