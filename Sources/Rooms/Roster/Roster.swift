import RoomProtocol
import RoomToken
import RoomSFU

/// The participants of a room, found by user, track, transport and connection in constant time.
///
/// Anything that an index depends on changes only through methods.
struct Roster: Sendable {
  /// The use of a participant's transport.
  enum Direction: Sendable { case publish, subscribe }

  /// In the order of joining.
  private(set) var order: [UserID] = []
  /// The public information on each participant that is not hidden, in the order of joining. Cached, because every join is
  /// answered with it.
  private(set) var shown: [ParticipantInfo] = []
  /// The users that joined by themselves and are not hidden, in the order of joining.
  private(set) var visible: [UserID] = []
  private var visibleUsers: Set<UserID> = []
  /// Those of them whose media another server has.
  private(set) var annexes: [UserID: MediaAnnexID] = [:]
  /// Participants whose connection has changed its quality.
  private(set) var rated: Set<UserID> = []
  private var participants: [UserID: Participant] = [:]
  private var owners: [TrackID: UserID] = [:]
  private var mediaOwners: [MediaTrackID: UserID] = [:]
  private var transports: [TransportID: UserID] = [:]
  private var connections: [ConnectionID: UserID] = [:]
  /// Participants with tracks.
  private(set) var publishers: Set<UserID> = []
  /// Participants that receive or may receive tracks: only they are affected by a track that starts, ends or changes.
  private(set) var receivers: Set<UserID> = []
  /// Participants that receive audio levels.
  private(set) var levelListeners: Set<UserID> = []
  /// Number of participants that count as present: those whose token has the `publish` grant, and all others.
  private(set) var presentPublishers = 0
  private(set) var presentOthers = 0
  /// Number of WHIP sessions that wait for their media.
  private(set) var waiting = 0
  /// Number of participants for which the room stays open: all but agents and those that the server itself added.
  private(set) var peopleCount = 0
  /// Number of participants that counts and limits exclude.
  private(set) var uncounted = 0
  private(set) var trackCount = 0

  var count: Int { participants.count }
  /// Number of participants without the room's own mix and another room's anchor.
  var countedCount: Int { participants.count - uncounted }
  var all: some Collection<Participant> { participants.values }

  subscript(user: UserID) -> Participant? { participants[user] }

  /// Whether the participant is one of ``visible``.
  func isVisible(_ user: UserID) -> Bool { visibleUsers.contains(user) }

  func owner(of track: TrackID) -> Participant? { owners[track].flatMap { participants[$0] } }
  func owner(of track: MediaTrackID) -> Participant? { mediaOwners[track].flatMap { participants[$0] } }
  func user(of connection: ConnectionID) -> UserID? { connections[connection] }

  /// Returns the participant that owns a transport, and the transport's use.
  func owner(of transport: TransportID) -> (participant: Participant, direction: Direction)? {
    guard let participant = transports[transport].flatMap({ participants[$0] }) else { return nil }
    return (participant, participant.publishing?.id == transport ? .publish : .subscribe)
  }

  // MARK: Joining and leaving

  /// Adds a participant without tracks and transports. The roster must not contain its user.
  mutating func add(_ participant: Participant) {
    participants[participant.user] = participant
    order.append(participant.user)
    if !participant.isHidden { shown.append(participant.info) }
    if participant.isVisible {
      visible.append(participant.user)
      visibleUsers.insert(participant.user)
      annexes[participant.user] = participant.annex
    }
    if let connection = participant.connection { connections[connection] = participant.user }
    if participant.receiving.wantsLevels { levelListeners.insert(participant.user) }
    note(participant.receiving, of: participant.user)
    if participant.isPerson { peopleCount += 1 }
    if participant.isUncounted { uncounted += 1 }
    count(participant, 1)
  }

  /// Removes a participant with everything that belongs to it.
  mutating func remove(_ user: UserID) -> Participant? {
    guard let participant = participants.removeValue(forKey: user) else { return nil }
    if let index = order.lastIndex(of: user) { order.remove(at: index) }
    if let index = shown.lastIndex(where: { $0.userId == user }) { shown.remove(at: index) }
    if visibleUsers.remove(user) != nil, let index = visible.lastIndex(of: user) { visible.remove(at: index) }
    for track in participant.tracks { forget(track) }
    for transport in [participant.publishing?.id, participant.receiving.transport?.id] {
      if let transport { transports[transport] = nil }
    }
    if let connection = participant.connection { connections[connection] = nil }
    annexes[user] = nil
    rated.remove(user)
    publishers.remove(user)
    levelListeners.remove(user)
    receivers.remove(user)
    if participant.isPerson { peopleCount -= 1 }
    if participant.isUncounted { uncounted -= 1 }
    count(participant, -1)
    return participant
  }

  private mutating func count(_ participant: Participant, _ by: Int) {
    guard participant.countsAsPresent else { return waiting += by }
    guard !participant.isUncounted else { return }
    if participant.grants.contains(.publish) { presentPublishers += by } else { presentOthers += by }
  }

  // MARK: Changes

  /// Changes what no index depends on. The closure must not change tracks, transports, connections, grants or whether it counts
  /// as present.
  mutating func change<T>(_ user: UserID, _ change: (inout Participant) -> T) -> T? {
    guard let index = participants.index(forKey: user) else { return nil }
    defer { note(participants.values[index].receiving, of: user) }
    return change(&participants.values[index])
  }

  private mutating func note(_ receiving: Participant.Receiving, of user: UserID) {
    if receiving.concernsTracks { receivers.insert(user) } else { receivers.remove(user) }
  }

  /// Replaces the token of a participant that returned with another one.
  mutating func setToken(_ token: RoomToken, of user: UserID) {
    participants[user]?.token = token
    show(user)
  }

  mutating func setProfile(_ profile: ParticipantProfile?, of user: UserID) {
    participants[user]?.profile = profile
    show(user)
  }

  mutating func setPermissions(_ permissions: Permissions, of user: UserID) {
    guard let old = participants[user] else { return }
    count(old, -1)
    participants[user]?.permissions = permissions
    if let new = participants[user] { count(new, 1) }
    show(user)
  }

  /// Updates the public information on a participant.
  private mutating func show(_ user: UserID) {
    guard let info = participants[user]?.info, let index = shown.lastIndex(where: { $0.userId == user }) else { return }
    shown[index] = info
  }

  mutating func setConnection(_ connection: ConnectionID?, isConnected: Bool, of user: UserID) {
    guard let old = participants[user] else { return }
    if let connection = old.connection { connections[connection] = nil }
    if let connection { connections[connection] = user }
    participants[user]?.connection = connection
    participants[user]?.isConnected = isConnected
    show(user)
  }

  mutating func setPresent(_ isPresent: Bool, _ user: UserID) {
    guard let old = participants[user], old.countsAsPresent != isPresent else { return }
    count(old, -1)
    participants[user]?.countsAsPresent = isPresent
    if let new = participants[user] { count(new, 1) }
  }

  mutating func setQuality(_ quality: UserQuality, of user: UserID) {
    guard participants[user] != nil else { return }
    participants[user]?.quality = quality
    rated.insert(user)
  }

  mutating func setWantsLevels(_ wants: Bool, of user: UserID) {
    guard participants[user] != nil else { return }
    participants[user]?.receiving.wantsLevels = wants
    if wants { levelListeners.insert(user) } else { levelListeners.remove(user) }
  }

  mutating func setPublishing(_ transport: PublishTransport?, of user: UserID) {
    guard let old = participants[user] else { return }
    if let id = old.publishing?.id { transports[id] = nil }
    if let id = transport?.id { transports[id] = user }
    participants[user]?.publishing = transport
  }

  mutating func setReceiving(_ transport: SubscribeTransport?, of user: UserID) {
    guard let old = participants[user] else { return }
    if let id = old.receiving.transport?.id { transports[id] = nil }
    if let id = transport?.id { transports[id] = user }
    participants[user]?.receiving.transport = transport
    if let receiving = participants[user]?.receiving { note(receiving, of: user) }
  }

  /// The default publisher: a host, or else the first that joined.
  var firstPublisher: UserID? {
    publishers.compactMap { participants[$0] }.min {
      ($0.grants.contains(.admin) ? 0 : 1, $0.joinedAt, $0.user) < ($1.grants.contains(.admin) ? 0 : 1, $1.joinedAt, $1.user)
    }?.user
  }

  /// Removes the other participants' choices for a user who left.
  mutating func forgetChoices(of user: UserID, tracks: [TrackID]) {
    forgetChoices { plan in
      plan.forget(user: user)
      for track in tracks { plan.forget(track: track) }
    }
  }

  /// Removes the other participants' choices for tracks that ended.
  mutating func forgetChoices(ofTracks tracks: Set<TrackID>) {
    forgetChoices { plan in for track in tracks { plan.forget(track: track) } }
  }

  private mutating func forgetChoices(_ forget: (inout SubscriptionPlan) -> Void) {
    for user in receivers {
      _ = change(user) { if $0.receiving.plan.hasChoices { forget(&$0.receiving.plan) } }
    }
  }

  mutating func add(_ track: PublishedTrack, of user: UserID) {
    guard participants[user] != nil else { return }
    participants[user]?.tracks.append(track)
    remember(track, of: user)
    show(user)
  }

  /// Replaces the track with the same public id.
  mutating func replace(_ track: PublishedTrack, of user: UserID) {
    guard let index = participants[user]?.tracks.firstIndex(where: { $0.info.trackId == track.info.trackId }),
      let old = participants[user]?.tracks[index]
    else { return }
    forget(old)
    participants[user]?.tracks[index] = track
    remember(track, of: user)
    show(user)
  }

  /// Removes tracks; returns those that existed.
  mutating func remove(_ ids: Set<TrackID>, of user: UserID) -> [PublishedTrack] {
    guard let old = participants[user] else { return [] }
    let gone = old.tracks.filter { ids.contains($0.info.trackId) }
    for track in gone { forget(track) }
    participants[user]?.tracks.removeAll { ids.contains($0.info.trackId) }
    participants[user]?.mutedBySeat.subtract(ids)
    if participants[user]?.tracks.isEmpty == true { publishers.remove(user) }
    show(user)
    return gone
  }

  private mutating func remember(_ track: PublishedTrack, of user: UserID) {
    owners[track.info.trackId] = user
    mediaOwners[track.id] = user
    publishers.insert(user)
    trackCount += 1
  }

  private mutating func forget(_ track: PublishedTrack) {
    owners[track.info.trackId] = nil
    mediaOwners[track.id] = nil
    trackCount -= 1
  }
}
