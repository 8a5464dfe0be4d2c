import RoomProtocol

// Changes a room's settings after its creation.

extension RoomCore {
  /// Changes the room's settings. Unchanged values have no effect.
  ///
  /// - `audience` and `stage` apply at once: the room's mix ends and restarts.
  /// - `push` applies to jobs that start later; with `auto`, jobs start now for current publishers.
  /// - `emptyTime` applies at once: the timer of an empty room restarts.
  /// - The participant limit, `graceTime`, `requestTime`, `host`, `pk` and `watch` apply to later joins, lost connections, requests,
  ///   PKs and viewers.
  ///
  /// - Throws: 10012 for another `pk` during a PK, 80103 if the room is closed.
  mutating func change(_ new: Settings) throws(RoomError) {
    guard !isClosed else { throw RoomError(.notInRoom, "the room is closed") }
    guard new.pk == settings.pk || pk == nil else {
      throw RoomError(.roomInPK, "pk: the picture of a PK can't change during the PK; end the PK first")
    }
    let old = settings
    settings = new
    state.rules = new.rules
    if new.emptyTime != old.emptyTime, timers.isSet(.empty) { timers.set(.empty, at: time(in: new.emptyTime)) }
    if new.audience != old.audience || new.stage != old.stage {
      if jobs[Self.stageJob] != nil { stop(Self.stageJob) }
      changes.stage = true
      changes.allSubscribers = true
    }
    if new.push != old.push { changes.ownJobs = true }
    emit(.store)
    log(.info, "settings changed")
  }
}
