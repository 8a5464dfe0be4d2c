import RoomProtocol

/// The room as the server describes it: participants and their tracks, and the state that numbered changes keep current.
///
/// Confined to the session's actor. What the app reads is in the ``RoomStateStore``.
final class RoomMirror {
  private let store: RoomStateStore
  private var roster = Roster()
  /// The number of the last change that was sent as an event.
  private(set) var lastReportedSeq = 0

  init(_ store: RoomStateStore) { self.store = store }

  var participants: [UserID: ParticipantInfo] { roster.participants }

  /// All tracks with their publishers.
  var tracks: [(userId: UserID, info: TrackInfo)] { roster.tracks }

  func track(_ trackId: TrackID) -> TrackInfo? { roster.track(trackId)?.info }

  /// The seat of this client.
  var mySeat: SeatInfo? { store.value.room?.seats.first { $0.userId == store.userId } }

  /// Whether a PK waits for this client to resume it.
  var waitsForMe: Bool {
    guard let pk = store.value.room?.pk else { return false }
    return pk.host == store.userId && !pk.connected && !(pk.mode == .move && pk.inviter)
  }

  /// Takes the snapshot of a join.
  /// - Returns: the differences of the participants as events; none the first time.
  func joined(_ result: JoinResult, isFirst: Bool) -> [RoomEvent] {
    let missed = roster.replace(with: result.participants, telling: !isFirst)
    store.change { value in
      value.room = result.room
      value.me = result.me
      value.limits = result.limits
      value.participants = roster.participants
    }
    return missed
  }

  /// Updates the events after a join.
  /// - Parameters:
  ///   - before: the state before the join; nil the first time.
  ///   - replayed: whether the server sends each missed change.
  func catchUp(from before: RoomSnapshot?, replayed: Bool) {
    guard !replayed, let room = store.value.room else { return }
    let seen = lastReportedSeq
    lastReportedSeq = room.seq
    guard let before, before.seq != room.seq || before.createdAt != room.createdAt else { return }
    for message in room.messages where message.seq > seen || before.createdAt != room.createdAt { store.say(.message(message)) }
    store.say(.refreshed(room))
  }

  /// Applies an event without a number.
  /// - Returns: the app's events.
  func apply(_ event: SignalEvent) -> [RoomEvent] {
    var news = roster.apply(event)
    if !news.isEmpty { store.change { $0.participants = roster.participants } }
    switch event {
    case .permissionsChanged(let data) where data.userId == store.userId:
      store.change { value in
        value.me?.grants = data.permissions.grants
        value.me?.permissions = data.permissions
      }
    case .pkToken(let token):
      store.change { $0.pkToken = token }
      news.append(.pkToken(token))
    case .jobChanged(let job): store.change { $0.room?.keep(job) }
    case .stageChanged(let style): store.change { $0.room?.stage = style }
    case .jobEnded(let data): store.change { value in value.room?.jobs.removeAll { $0.jobId == data.jobId } }
    case .playerChanged(let player): store.change { $0.room?.keep(player) }
    case .playerEnded(let data): store.change { $0.room?.players?.removeAll { $0.userId == data.userId } }
    default: break
    }
    return news
  }

  /// Applies a change and sends its event once. A change that is replayed after a resume may already be applied.
  /// - Returns: whether this client lost its seat by it.
  func apply(_ numbered: NumberedChange) -> Bool {
    let isNews = store.change { value in
      guard let seq = value.room?.seq, numbered.seq > seq else { return false }
      value.room?.apply(numbered, limits: value.limits)
      if case .pkEnded = numbered.change { value.pkToken = nil }
      return true
    }
    if numbered.seq > lastReportedSeq {
      lastReportedSeq = numbered.seq
      store.say(RoomEvent(numbered.change))
    }
    return isNews && numbered.change.takesOff(store.userId)
  }
}

extension RoomChange {
  /// Whether the change removes a user from its seat.
  fileprivate func takesOff(_ user: UserID) -> Bool {
    switch self {
    case .seatChanged(let data): data.userId == user && data.seat.userId != user
    case .layoutChanged(let data): data.off.contains(user)
    default: false
    }
  }
}

extension RoomSnapshot {
  /// Adds or replaces a relay job.
  fileprivate mutating func keep(_ job: JobInfo) {
    guard let index = jobs.firstIndex(where: { $0.jobId == job.jobId }) else { return jobs.append(job) }
    jobs[index] = job
  }

  /// Adds or replaces a player.
  fileprivate mutating func keep(_ player: PlayerInfo) {
    let others = (players ?? []).filter { $0.userId != player.userId }
    players = (others + [player]).sorted { $0.userId < $1.userId }
  }
}
