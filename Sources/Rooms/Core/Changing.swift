import RoomProtocol

// A room's settings after its creation.

extension RoomCore {
  /// Changes the room's settings; those that stay the same have no effect.
  ///
  /// - `audience` and `stage` are in force at once: the room's mix ends and begins again.
  /// - `push` is in force for jobs that begin later; with `auto`, jobs begin now for those who publish.
  /// - `emptyTime` is in force at once: an empty room waits again from the beginning.
  /// - Places, `graceTime`, `requestTime`, `host` and `pk` are in force for joins, lost connections, requests and PKs to come.
  ///
  /// - Throws: 10012 for another `pk` during a PK, 80103 if the room is closed.
  mutating func change(_ new: Settings) throws(RoomError) {
    guard !isClosed else { throw RoomError(.notInRoom, "the room is closed") }
    guard new.pk == settings.pk || pk == nil else {
      throw RoomError(.roomInPK, "pk: the picture of a PK does not change during the PK; end it first")
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
