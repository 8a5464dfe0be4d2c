import RoomProtocol

extension Room {
  /// Mutes or unmutes for a participant: its own track, or with the admin grant anybody's.
  func mute(_ trackId: TrackID, _ muted: Bool, by participant: Participant) throws(RoomError) -> () -> Void {
    guard let (owner, index) = publication(trackId) else { throw Self.noSuchTrack(trackId) }
    guard owner === participant || participant.grants.contains(.admin) else {
      throw RoomError(.noPermission, "muting others needs the admin grant")
    }
    if !muted, owner.mutedBySeat.contains(trackId) {
      throw RoomError(.wrongMicState, "the seat's switches mute this track: setSeat changes them")
    }
    return { self.setMuted(muted, index, of: owner, by: participant) }
  }

  /// Mutes or unmutes for the API.
  func mute(_ trackId: TrackID, _ muted: Bool) throws(RoomError) -> TrackInfo {
    guard let (owner, index) = publication(trackId) else { throw Self.noSuchTrack(trackId) }
    setMuted(muted, index, of: owner, by: nil)
    return owner.tracks[index].info
  }

  func setMuted(_ muted: Bool, _ index: Int, of owner: Participant, by operation: Participant?) {
    let track = owner.tracks[index]
    guard track.info.muted != muted else { return }
    owner.tracks[index].info.muted = muted
    media.setMuted(track.id, muted)
    renewLending()
    log.info(
      muted ? "muted" : "unmuted",
      metadata: ["user": "\(owner.userId)", "track": "\(track.info.trackId)", "by": "\(operation?.userId ?? "API")"])
    tell(
      .muteChanged(
        MuteData(userId: owner.userId, trackId: track.info.trackId, muted: muted, by: operation?.userId ?? "")),
      besides: operation)
  }

  /// Kicks for a participant that has the admin grant.
  func kick(_ user: UserID, by participant: Participant) throws(RoomError) -> () -> Void {
    guard participant.grants.contains(.admin) else { throw RoomError(.noPermission, "kicking needs the admin grant") }
    try checkPresence(of: user)
    return { self.kick(user, by: participant.userId) }
  }

  /// Kicks for the API.
  func kick(_ user: UserID) throws(RoomError) {
    try checkPresence(of: user)
    kick(user, by: "")
  }

  private func checkPresence(of user: UserID) throws(RoomError) {
    guard participants[user] != nil || viewers.values.contains(where: { $0.token.user == user }) else {
      throw Self.noSuchUser(user)
    }
  }

  /// Ends the user's session, and those in which it only watches.
  private func kick(_ user: UserID, by operation: UserID) {
    report(.participantKicked, KickedData(userId: user, by: operation))
    // Behind the tokens, which are stored with it.
    defer { storeLater() }
    for viewer in viewers.values where viewer.token.user == user {
      surroundings.kicked(viewer.token)
      end(viewer, because: "kicked")
    }
    guard let target = participants[user] else { return surroundings.counters.count { $0.kicks += 1 } }
    // Dead before the client can know, so that it can't slip back in.
    surroundings.kicked(target.token)
    surroundings.counters.count { $0.kicks += 1 }
    if !target.isHidden { tell(.kicked(KickedData(userId: target.userId, by: operation)), besides: target) }
    end(target, EndedData(reason: .kickedOut, by: operation))
  }

  private static func noSuchUser(_ user: UserID) -> RoomError {
    RoomError(.notInRoom, "there is no user \"\(user.brief)\" in the room")
  }

  private static func noSuchTrack(_ trackId: TrackID) -> RoomError {
    RoomError(.subscribeFailed, "there is no track \"\(trackId.brief)\" in the room")
  }
}
