import RoomProtocol

/// Seats, messages, attributes and PK: the room's state, kept current by numbered changes.
extension RoomSession {
  var userId: UserID { store.userId }

  /// The seat of this client.
  var mySeat: SeatInfo? { store.value.room?.seats.first { $0.userId == userId } }

  /// Whether a PK waits for this client to resume it.
  var waitsForMe: Bool {
    guard let pk = store.value.room?.pk else { return false }
    return pk.host == userId && !pk.connected && !(pk.mode == .move && pk.inviter)
  }

  /// Applies a change and sends its event once. A change that is replayed after a resume may already be applied.
  func changed(_ numbered: NumberedChange) {
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
    if isNews, numbered.change.takesOff(userId) {
      publications.lost(keeping: [])
    }
  }

  /// Updates the events after a join.
  /// - Parameters:
  ///   - before: the state before the join; nil the first time.
  ///   - replayed: whether the server sends each missed change.
  func catchUp(from before: RoomSnapshot?, replayed: Bool) {
    guard let room = store.value.room else { return }
    guard !replayed else { return }
    let seen = lastReportedSeq
    lastReportedSeq = room.seq
    guard let before, before.seq != room.seq || before.createdAt != room.createdAt else { return }
    for message in room.messages where message.seq > seen || before.createdAt != room.createdAt { store.say(.message(message)) }
    store.say(.refreshed(room))
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
  mutating func keep(_ job: JobInfo) {
    guard let index = jobs.firstIndex(where: { $0.jobId == job.jobId }) else { return jobs.append(job) }
    jobs[index] = job
  }

  /// Adds or replaces a player.
  mutating func keep(_ player: PlayerInfo) {
    let others = (players ?? []).filter { $0.userId != player.userId }
    players = (others + [player]).sorted { $0.userId < $1.userId }
  }
}

/// The composition of the users on stage.
extension RoomSession {
  func edit(_ editing: CompositionEditing?) async throws {
    let _: Empty = try await request(.editComposition(EditCompositionParams(deadline: editing?.deadline)))
    self.editing = editing
  }

  func compositionChanging(_ data: CompositionChangingData) {
    guard let editing else { return }
    Task {
      let changed = await editing.change(data.composition)
      calls.tell(.setComposition(CompositionParams(number: data.number, composition: changed)))
    }
  }
}
