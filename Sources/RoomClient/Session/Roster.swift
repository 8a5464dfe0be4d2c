import RoomProtocol

/// The participants of the room and their tracks, from the join snapshot and the server's events. Pure: each change returns the
/// app's events.
struct Roster: Sendable {
  private(set) var participants: [UserID: ParticipantInfo] = [:]

  /// Returns a track and its publisher.
  func track(_ trackId: TrackID) -> (userId: UserID, info: TrackInfo)? {
    for (userId, participant) in participants {
      if let info = participant.tracks.first(where: { $0.trackId == trackId }) { return (userId, info) }
    }
    return nil
  }

  /// All tracks with their publishers.
  var tracks: [(userId: UserID, info: TrackInfo)] {
    participants.values.flatMap { participant in participant.tracks.map { (participant.userId, $0) } }
  }

  /// Applies the snapshot of a join. After a reconnection, returns the differences as events; the first time it returns none.
  mutating func replace(with snapshot: [ParticipantInfo], telling: Bool) -> [RoomEvent] {
    let before = participants
    participants = [:]
    for participant in snapshot { participants[participant.userId] = participant }
    guard telling else { return [] }
    var events: [RoomEvent] = []
    for userId in before.keys where participants[userId] == nil {
      // The actual reason is not known.
      events.append(.left(userId: userId, reason: .left))
    }
    for (userId, now) in participants {
      guard let old = before[userId] else {
        events.append(.joined(now))
        continue
      }
      events.append(contentsOf: difference(from: old, to: now))
    }
    return events
  }

  private func difference(from old: ParticipantInfo, to now: ParticipantInfo) -> [RoomEvent] {
    var events: [RoomEvent] = []
    if old.connected != now.connected { events.append(.connectionChanged(userId: now.userId, connected: now.connected)) }
    let known = Dictionary(old.tracks.map { ($0.trackId, $0) }, uniquingKeysWith: { first, _ in first })
    let present = Set(now.tracks.map(\.trackId))
    let gone = old.tracks.map(\.trackId).filter { !present.contains($0) }
    if !gone.isEmpty { events.append(.unpublished(userId: now.userId, trackIds: gone)) }
    let new = now.tracks.filter { known[$0.trackId] == nil }
    if !new.isEmpty { events.append(.published(userId: now.userId, tracks: new)) }
    for track in now.tracks where known[track.trackId].map({ $0.muted != track.muted }) ?? false {
      events.append(.muteChanged(userId: now.userId, trackId: track.trackId, muted: track.muted, by: now.userId))
    }
    return events
  }

  /// Applies an event of the server. Returns no events if it does not concern other participants.
  mutating func apply(_ event: SignalEvent) -> [RoomEvent] {
    switch event {
    case .joined(let participant):
      participants[participant.userId] = participant
      return [.joined(participant)]
    case .left(let data):
      guard participants.removeValue(forKey: data.userId) != nil else { return [] }
      return [.left(userId: data.userId, reason: data.reason)]
    case .connectionChanged(let data):
      participants[data.userId]?.connected = data.connected
      return [.connectionChanged(userId: data.userId, connected: data.connected)]
    case .profileChanged(let data):
      participants[data.userId]?.profile = data.profile
      return []
    case .permissionsChanged(let data):
      participants[data.userId]?.grants = data.permissions.grants
      participants[data.userId]?.permissions = data.permissions
      return [.permissionsChanged(userId: data.userId, permissions: data.permissions)]
    case .published(let data):
      // A track that is published again has a new description.
      let names = Set(data.tracks.map(\.trackId))
      participants[data.userId]?.tracks.removeAll { names.contains($0.trackId) }
      participants[data.userId]?.tracks.append(contentsOf: data.tracks)
      return [.published(userId: data.userId, tracks: data.tracks)]
    case .unpublished(let data):
      participants[data.userId]?.tracks.removeAll { data.trackIds.contains($0.trackId) }
      return [.unpublished(userId: data.userId, trackIds: data.trackIds)]
    case .muteChanged(let data):
      if let index = participants[data.userId]?.tracks.firstIndex(where: { $0.trackId == data.trackId }) {
        participants[data.userId]?.tracks[index].muted = data.muted
      }
      return [.muteChanged(userId: data.userId, trackId: data.trackId, muted: data.muted, by: data.by)]
    case .kicked(let data): return [.kicked(userId: data.userId, by: data.by)]
    case .audioLevels(let data): return [.audioLevels(data.levels)]
    case .activeSpeakers(let data): return [.activeSpeakers(data.userIds)]
    case .subscribeFailed(let data): return [.subscribeFailed(trackIds: data.trackIds, error: data.error)]
    case .jobChanged(let job): return [.jobChanged(job)]
    case .jobStatus(let status): return [.jobStatus(status)]
    case .stageChanged(let style): return [.stageChanged(style)]
    case .jobEnded(let data): return [.jobEnded(jobId: data.jobId, reason: data.reason, failure: data.failure)]
    case .playerChanged(let player): return [.playerChanged(player)]
    case .playerEnded(let data): return [.playerEnded(data)]
    case .pkOnAir(let data): return [.pkOnAir(data)]
    case .streams(let data): return [.streamsChanged(data.streams)]
    case .networkQuality(let data): return [.networkQualityChanged(data.users)]
    case .offer, .layers, .ended, .alternatives, .changed, .pkToken, .compositionChanging, .unknown: return []
    }
  }
}
