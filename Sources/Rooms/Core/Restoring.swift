import RoomRelay
import RoomProtocol
import RoomState

// Storing and restoring: a stored room survives a server restart.

extension RoomCore {
  /// The room in its stored form; nil if it is closed.
  var stored: StoredRoom? {
    isClosed ? nil : stored(state.stored)
  }

  /// Returns the changes since the last call, for the store; nil if the room is closed.
  mutating func takeStored() -> StoredRoomChange? {
    guard !isClosed else { return nil }
    let (room, members) = state.takeStored()
    return StoredRoomChange(room: stored(room), members: members)
  }

  private func stored(_ state: RoomState) -> StoredRoom {
    let running = jobs.values.filter { $0.id != Self.stageJob && $0.id != .watch && !$0.isStopping }
      .sorted { ($0.info.startedAt ?? 0) < ($1.info.startedAt ?? 0) }
    return StoredRoom(
      options: settings.options, state: state, jobs: running.map { stored($0) }, forwards: storedForwards,
      players: storedPlayers)
  }

  private func stored(_ job: Job) -> StoredJob {
    let program: StoredJob.Program =
      switch job.program {
      case .merge(let mix, let params): .merge(params, mixes[mix]?.plan.layouts ?? [])
      case .tracks(let choice): .tracks(choice)
      // The composition is derived from the stage.
      case .forward, .stage: .forward(audio: job.base?.audio, video: job.base?.video)
      }
    return StoredJob(
      jobId: job.id, program: program, arrangement: job.arrangement, follow: job.follow, publishUrl: job.url?.text,
      record: job.broadcast?.recording?.description,
      owner: job.owner, by: job.info.by ?? "", startedAt: job.info.startedAt ?? 0)
  }

  /// Resumes the stored state: jobs restart, each on its own URL, a PK continues, and the room's users have the grace time to
  /// return. All other rooms must exist already.
  mutating func restore(_ jobs: [StoredJob], _ forwards: [StoredForward] = [], _ players: [StoredPlayer] = []) {
    guard !isClosed else { return }
    for forward in forwards { restore(forward) }
    if let pk = state.snapshot(for: nil).pk { beginPK(pk) }
    absent = state.users
    emit(.report(.roomRestored, WebhookEventData.Restored(userIds: absent)))
    for job in jobs { restore(job) }
    for player in players { restore(player) }
    drainState()
    if !absent.isEmpty { timers.set(.absence, at: time(in: settings.graceTime)) }
    log(.info, "room restored", ["users": "\(absent.count)", "jobs": "\(jobs.count)"])
  }

  private mutating func restore(_ job: StoredJob) {
    do throws(RoomError) {
      try checkNewJob(job.jobId)
      let url = job.publishUrl.flatMap { PublishURL($0) }
      // The job was authorized when it started.
      let claim = BroadcastClaim.trusted(job.owner ?? name)
      let recording = try recordingName(job.record)
      switch job.program {
      case .forward(let audio, let video):
        guard let url else { throw RoomError(.cdnParameters, "its URL is no longer valid") }
        let new = NewJob(
          id: job.jobId, program: .forward(audio: audio, video: video, job.follow ?? .anchor), url: url, claim: claim,
          requester: .room,
          startedAt: job.startedAt, by: job.by)
        begin(new, recording: recording, isRestored: true)
      case .tracks(let choice):
        try beginTracks(job.jobId, choice, by: job.by, .room, startedAt: job.startedAt)
      case .merge(let params, let items):
        merge(
          params, items, job.arrangement, to: url, by: job.by, claim: claim, recording: recording, requester: .room,
          startedAt: job.startedAt)
      }
    } catch {
      notResumed(job.jobId, error)
    }
  }

  /// Ends a stored job that the settings of the server, or its limits, no longer allow.
  mutating func notResumed(_ job: JobID, _ error: RoomError) {
    let failure = JobFailure(cause: .forbidden, message: error.message)
    emit(.report(.jobEnded, JobEndedData(jobId: job, reason: .failed, failure: failure)))
    log(.warning, "job was not resumed", ["job": "\(job)", "reason": "\(error)"])
  }

  /// Removes the users that have not returned.
  mutating func endAbsence() {
    for user in absent where roster[user] == nil && state.users.contains(user) {
      emit(.report(.participantLeft, WebhookEventData.Left(userId: user, reason: .timedOut)))
      changeState { $0.leave(user, .timedOut) }
    }
    absent = []
  }
}
