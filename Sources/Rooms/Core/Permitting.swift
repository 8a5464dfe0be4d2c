import RoomProtocol

// Who may receive a participant's tracks, and the first subscriber of each.

extension RoomCore {
  /// What a participant gets of a track.
  enum Wish: Sendable {
    case unwanted
    /// The track is wanted, and its publisher does not permit it.
    case denied
    case wanted
  }

  /// Sets who may receive a participant's tracks, until it leaves. Others lose them, or get them, at once.
  /// - Throws: 80103 if there is no such participant or session.
  package mutating func setSubscribers(
    _ permissions: SubscriptionPermissions, of user: UserID, _ session: SessionID
  ) throws(RoomError) {
    guard let participant = roster[user], participant.session == session else { throw Self.noSuchUser(user) }
    if permissions.isCut { count(.limit(.subscribers)) }
    guard permissions != participant.subscribers else { return }
    _ = roster.change(user) { $0.subscribers = permissions }
    for track in participant.tracks { changes.tracks[track.info.trackId] = user }
    changes.viewers.formUnion(viewers.ids)
    log(.info, "subscription permissions changed", ["user": "\(user)"])
  }

  /// Returns what a participant gets of a track.
  func wish(_ track: PublishedTrack, of owner: Participant, for user: Participant) -> Wish {
    guard user.subscribes else { return .unwanted }
    let plan = user.receiving.plan
    let automatic = plan.automatic && isMeant(track, of: owner, for: user)
    guard plan.wants(track: track.info.trackId, of: owner.user, automatic: automatic) else { return .unwanted }
    return owner.permits(track.info.trackId, to: user.user) ? .wanted : .denied
  }

  /// The tracks of users that a viewer may receive.
  func tracks(of users: [UserID], for viewer: Viewer) -> [PublishedTrack] {
    users.flatMap { user -> [PublishedTrack] in
      guard let owner = roster[user] else { return [] }
      return owner.tracks.filter { owner.permits($0.info.trackId, to: viewer.token.user) }
    }
  }

  /// Sends a participant the tracks that it wants and may not receive, each once.
  /// - Parameters:
  ///   - old: those that its client knows of.
  ///   - checked: the tracks that `denied` is about.
  mutating func note(
    denied: Set<TrackID>, after old: Set<TrackID>, among checked: some Sequence<TrackID>, of user: UserID
  ) {
    guard !old.isEmpty || !denied.isEmpty else { return }
    _ = roster.change(user) { $0.receiving.denied = old.subtracting(checked).union(denied) }
    let new = denied.subtracting(old)
    guard !new.isEmpty else { return }
    let error = RoomError(.noPermission, "the publisher does not permit this participant to receive the track")
    send(
      .subscribeFailed(SubscribeFailedData(trackIds: new.sorted { $0.rawValue < $1.rawValue }, error: error)), to: user)
  }

  // MARK: The first subscriber

  /// Notes that somebody receives a track.
  mutating func noteSubscriber(of track: PublishedTrack, by user: UserID) {
    guard let participant = roster[user], participant.traits.contains(.awaitsSubscribers),
      participant.track(track.info.trackId)?.wasSubscribed == false
    else { return }
    changeTrack(track.info.trackId, of: user) { $0.wasSubscribed = true }
    reportSubscribers(to: user)
  }

  /// Informs a publisher of the tracks that have their first subscriber, each once.
  mutating func reportSubscribers(to user: UserID) {
    guard let participant = roster[user], participant.traits.contains(.awaitsSubscribers),
      let connection = participant.connection
    else { return }
    for track in participant.tracks where track.wasSubscribed && !track.hasReportedSubscriber {
      changeTrack(track.info.trackId, of: user) { $0.hasReportedSubscriber = true }
      emit(.deliver(.subscribed(track.info.trackId), to: connection))
    }
  }

  mutating func changeTrack(_ id: TrackID, of user: UserID, _ change: (inout PublishedTrack) -> Void) {
    _ = roster.change(user) { participant in
      if let index = participant.tracks.firstIndex(where: { $0.info.trackId == id }) { change(&participant.tracks[index]) }
    }
  }
}
