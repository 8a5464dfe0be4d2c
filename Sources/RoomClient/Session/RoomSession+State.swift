import RoomProtocol

/// Seats, messages, attributes and PK: the room as it is, kept true by numbered changes.
extension RoomSession {
  var userId: UserID { board.value.me?.userId ?? "" }

  /// The seat that this client sits on.
  var mySeat: SeatInfo? { board.value.room?.seats.first { $0.userId == userId } }

  /// Whether a PK goes on as soon as this client says that it is back.
  var waitsForMe: Bool {
    guard let pk = board.value.room?.pk else { return false }
    return pk.host == userId && !pk.connected && !(pk.way == .move && pk.inviter)
  }

  /// Takes a change, and tells it once. One that was told again after a resume may be in the room already.
  func changed(_ numbered: NumberedChange) {
    let isNews = board.change { value in
      guard let seq = value.room?.seq, numbered.seq > seq else { return false }
      value.room?.apply(numbered, limits: value.limits)
      if case .pkEnded = numbered.change { value.pkToken = nil }
      return true
    }
    if numbered.seq > told {
      told = numbered.seq
      board.say(RoomEvent(numbered.change))
    }
    if isNews, numbered.change.takesOff(userId) {
      unseated = heard
      withdrawn(keeping: [])
    }
  }

  /// The room is known anew after a join.
  /// - Parameters:
  ///   - before: as it was known; nil the first time.
  ///   - replayed: what was missed follows, each change as it was.
  func catchUp(from before: RoomSnapshot?, replayed: Bool) {
    guard let room = board.value.room else { return }
    guard !replayed else { return }
    let seen = told
    told = room.seq
    guard let before, before.seq != room.seq || before.createdAt != room.createdAt else { return }
    for message in room.messages where message.seq > seen || before.createdAt != room.createdAt { board.say(.message(message)) }
    board.say(.refreshed(room))
  }

  /// The server withdrew tracks of this client by itself: they may be published again.
  func withdrawn(keeping kept: Set<TrackID>) { tellWithdrawn(publisher.withdraw(keeping: kept)) }

  /// The server knows nothing of what was published, and it is not to be published by itself.
  func forgetPublications() {
    let ids = publisher.published.map(\.trackId)
    publisher.close()
    tellWithdrawn(ids)
  }

  func tellWithdrawn(_ ids: [TrackID]) {
    guard !ids.isEmpty else { return }
    if publisher.isEmpty { publishRepair.closed() }
    board.change { value in value.me?.tracks.removeAll { ids.contains($0.trackId) } }
    board.say(.unpublished(userId: userId, trackIds: ids))
  }
}

extension RoomChange {
  /// Whether a user loses its seat by it.
  fileprivate func takesOff(_ user: UserID) -> Bool {
    switch self {
    case .seatChanged(let data): data.userId == user && data.seat.userId != user
    case .layoutChanged(let data): data.off.contains(user)
    default: false
    }
  }
}

extension RoomSnapshot {
  /// Takes a relay job in, new or as it is now.
  mutating func keep(_ job: JobInfo) {
    guard let index = jobs.firstIndex(where: { $0.jobId == job.jobId }) else { return jobs.append(job) }
    jobs[index] = job
  }
}
