import RoomProtocol

// Changes a room's settings after its creation.

extension RoomCore {
  /// Changes the room's settings. Unchanged values have no effect.
  ///
  /// - `audience` applies at once: the audience's mix ends and restarts.
  /// - `stage` and `pk` apply at once to all that show the stage.
  /// - `push` applies to jobs that start later; with `auto`, jobs start now for current publishers.
  /// - `emptyTime` applies at once: the timer of an empty room restarts.
  /// - `pkApart` applies at once: a PK with such a room ends.
  /// - The participant limit, `graceTime`, `requestTime`, `host` and `watch` apply to later joins, lost connections, requests and
  ///   viewers.
  ///
  /// - Throws: 80103 if the room is closed, 80204 for an image of the stage that the room does not have.
  mutating func change(_ new: Settings) throws(RoomError) {
    guard !isClosed else { throw RoomError(.notInRoom, "the room is closed") }
    if new.stage != settings.stage { try checkImages(of: new.stage) }
    let old = settings
    settings = new
    state.rules = new.rules
    state.keepApart()
    if new.emptyTime != old.emptyTime, timers.isSet(.empty) { timers.set(.empty, at: time(in: new.emptyTime)) }
    if new.audience != old.audience {
      if jobs[Self.stageJob] != nil { stop(Self.stageJob) }
      changes.allSubscribers = true
    }
    if new.stage != old.stage { broadcast(.stageChanged(new.stage)) }
    changes.stage = true
    if new.push != old.push { changes.ownJobs = true }
    emit(.store)
    log(.info, "settings changed")
  }
}
