import RoomProtocol
import RoomSFU

// Participants of other rooms whose tracks appear in this one.

extension RoomCore {
  /// Lets a participant of another room appear in this one under the same name. The forward ends when the participant has
  /// published nothing for the grace time, and when it is removed here.
  /// - Parameter profile: what it shows of itself.
  /// - Throws: 80204 for this room itself, 80201 if the name is in use, 80101 if the room is full or closed.
  mutating func forward(_ user: UserID, from source: RoomName, _ profile: ParticipantProfile?) throws(RoomError) {
    guard !isClosed else { throw RoomError(.joinFailed, "the room is closed") }
    guard source != name else { throw RoomError(.cdnParameters, "a participant is forwarded to another room") }
    if forwards[user]?.source == source { return }
    guard roster[user] == nil else {
      throw RoomError(.publishFailed, "a participant \"\(user.brief)\" already exists in the room")
    }
    if let full = capacityError(for: nil, publishes: true) {
      count(.limit(.participants))
      throw RoomError(.joinFailed, full)
    }
    var participant = newParticipant(virtualToken(user), .forwarded(source))
    participant.profile = profile
    try enter(participant)
    forwards[user] = Forward(source: source)
    emit(.peer(.forward(user, from: source)))
    emit(.store)
    timers.set(.forward(user), at: time(in: settings.graceTime))
  }

  /// Shows the tracks of a participant of another room.
  mutating func receive(_ lent: [LentTrack], of user: UserID, from source: RoomName) {
    // Tracks of a forward that has ended may still arrive.
    guard !isClosed, var forward = forwards[user], forward.source == source, roster[user]?.presence.isLinked == true else {
      return
    }
    let added = show(lent, of: user, &forward.carried, isMuted: \.muted)
    forwards[user] = forward
    announce(added, of: user)
    if lent.isEmpty {
      timers.set(.forward(user), at: time(in: settings.graceTime))
    } else {
      timers.cancel(.forward(user))
    }
  }

  /// Removes a forwarded participant that publishes nothing.
  mutating func endEmptyForward(of user: UserID) {
    guard forwards[user] != nil, roster[user]?.tracks.isEmpty == true else { return }
    end(user, EndedData(reason: .left))
  }

  /// Ends the lending of a forwarded participant that leaves.
  mutating func endForward(of user: UserID, from source: RoomName) {
    forwards[user] = nil
    timers.cancel(.forward(user))
    emit(.peer(.endForward(user, from: source)))
    if !isClosed { emit(.store) }
  }

  // MARK: The stored form

  var storedForwards: [StoredForward]? {
    guard !forwards.isEmpty else { return nil }
    return forwards.sorted { $0.key < $1.key }.map { user, forward in
      StoredForward(user: user, source: forward.source, profile: roster[user]?.profile)
    }
  }

  mutating func restore(_ stored: StoredForward) {
    do throws(RoomError) { try forward(stored.user, from: stored.source, stored.profile) } catch {
      log(.warning, "participant was not forwarded again", ["user": "\(stored.user)", "reason": "\(error)"])
    }
  }
}
