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
    order(.setReception(subscription, reception(of: track, by: receiving.plan)))
  }

  /// Returns how a track is received: a shared screen precedes cameras, unless the client says otherwise.
  func reception(of track: TrackID, by plan: SubscriptionPlan) -> Reception {
    let isScreen = roster.owner(of: track)?.tracks.contains { $0.info.trackId == track && $0.info.tag == "screen" } == true
    return plan.reception(of: track, priority: isScreen ? Self.screenPriority : 0)
  }

  private static let screenPriority = 96

  /// Tells a client which layers of its simulcast are in use.
  mutating func sendWantedLayers(_ id: MediaTrackID, _ wanted: [String]) {
    guard !setWantedLayers(ofBackup: id, wanted), let owner = roster.owner(of: id), owner.presence.isClient,
      let track = owner.tracks.first(where: { $0.id == id })
    else { return }
    changeTrack(track.info.trackId, of: owner.user) { $0.wanted = wanted }
    if !track.info.backups.isEmpty, let changed = roster[owner.user]?.track(track.info.trackId) {
      return sendWantedCodecs(of: changed, to: owner.user)
    }
    send(.layers(LayersData(layers: [WantedLayers(trackId: track.info.trackId, wanted: wanted)])), to: owner.user)
  }

  /// Tells a client again which layers are in use, because it may have missed events.
  mutating func repeatWantedLayers(to user: UserID) {
    let tracks = roster[user]?.tracks ?? []
    for track in tracks where !track.info.backups.isEmpty { sendWantedCodecs(of: track, to: user) }
    let layers = tracks.filter(\.info.backups.isEmpty).compactMap { track in
      track.wanted.map { WantedLayers(trackId: track.info.trackId, wanted: $0) }
    }
    if !layers.isEmpty { send(.layers(LayersData(layers: layers)), to: user) }
  }

  /// Sends a client the state of a track that it receives.
  mutating func sendStream(_ id: SubscriptionID, on transport: TransportID, _ state: StreamState) {
    guard let (participant, _) = roster.owner(of: transport), participant.presence.isClient,
      let track = participant.receiving.transport?.track(of: id)
    else { return }
    let stream = StreamInfo(
      trackId: track, state: state.isPaused ? .paused : .active, reason: state.isPaused ? .bandwidth : nil, width: state.width,
      height: state.height)
    if state.isPaused { log(.info, "video paused: bandwidth", ["user": "\(participant.user)", "track": "\(track)"]) }
    _ = roster.change(participant.user) { $0.receiving.transport?.note(stream) }
    send(.streams(StreamsData(streams: [stream])), to: participant.user)
  }

  /// Sends a client the states of its tracks again, because it may have missed events.
  mutating func repeatStreams(to user: UserID) {
    let streams = roster[user]?.receiving.transport?.streams ?? []
    if !streams.isEmpty { send(.streams(StreamsData(streams: streams)), to: user) }
  }
}
