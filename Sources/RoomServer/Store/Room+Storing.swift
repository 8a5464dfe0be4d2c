import Foundation
import Relay
import RoomProtocol

// A room outlives its server's end: it is stored after each change, and taken up again at the next start.

extension Room {
  /// The room is not as it is stored any more.
  func storeLater() {
    if !isClosed, let store = surroundings.store { change = store.changed(self) }
  }

  /// Lets out what `outlet` holds: an answer, and what follows it. An answer that promises a change waits until that is stored.
  /// - Parameter promise: the change; nil if the answer promises none.
  func release(_ hold: SignalHold, of outlet: any SignalOutlet, promising promise: StoreTicket?) {
    guard let store = surroundings.store, let promise else { return outlet.release(hold) }
    store.whenWritten(promise) { _ in outlet.release(hold) }
  }

  /// The room as it is worth storing; nil where it is closed.
  var stored: StoredRoom? {
    guard !isClosed else { return nil }
    let running = jobs.values.filter { $0.id != Self.stageJob && !$0.isStopping }
      .sorted { ($0.info.startedAt ?? 0) < ($1.info.startedAt ?? 0) }
    return StoredRoom(wishes: settings.wishes, state: state.stored, jobs: running.map(\.stored))
  }

  /// Takes up what was stored: the jobs run again, each on its own URL, a PK goes on, and those who were here have the grace time to
  /// come back. All other rooms have to be there.
  func goOn(_ room: StoredRoom, images files: [String: [UInt8]]) {
    guard !isClosed else { return }
    for (name, file) in files.sorted(by: { $0.key < $1.key }) {
      do throws(RoomError) { try images.set(name, try RoomImages.read(file), bytes: file.count) } catch {
        log.warning("an image is gone", metadata: ["image": "\(name)", "reason": "\(error)"])
      }
    }
    if let pk = state.snapshot(for: nil).pk { beginPK(pk) }
    let users = state.users
    report(.roomRestored, RoomEventData.Restored(userIds: Array(users)))
    for job in room.jobs { goOn(job) }
    tellState()
    absence = Task { [weak self, grace = settings.graceTime] in
      guard (try? await Task.sleep(for: grace)) != nil else { return }
      await self?.endAbsence(of: users)
    }
    log.info("room goes on", metadata: ["users": "\(users.count)", "jobs": "\(jobs.count) of \(room.jobs.count)"])
  }

  private func goOn(_ job: StoredJob) {
    do throws(RoomError) {
      try checkNewJob(job.jobId)
      let url = job.publishUrl.flatMap { PublishURL($0) }
      // It was allowed when it began.
      let claim = BroadcastClaim.trusted(job.owner ?? name)
      let announce: () -> Void
      switch job.program {
      case .forward(let audio, let video):
        guard let url else { throw RoomError(.cdnParameters, "its URL is not understood any more") }
        (_, announce) = try forward(
          audio, video, as: job.jobId, to: url, record: job.record, by: job.by, claim: claim, isRestored: true)
      case .merge(let params, let items):
        (_, announce) = try merge(params, items, to: url, by: job.by, claim: claim, isRestored: true)
      }
      jobs[job.jobId]?.info.startedAt = job.startedAt
      announce()
    } catch {
      report(.jobEnded, JobEndedData(jobId: job.jobId, reason: .failed))
      log.warning("job does not go on", metadata: ["job": "\(job.jobId)", "reason": "\(error)"])
    }
  }

  /// Who has not come back left.
  private func endAbsence(of users: [UserID]) {
    for user in users where participants[user] == nil && state.users.contains(user) {
      report(.participantLeft, RoomEventData.Left(userId: user, reason: .timedOut))
      changeState { $0.leave(user, .timedOut) }
    }
  }
}

extension RelayJob {
  fileprivate var stored: StoredJob {
    let program: StoredJob.Program =
      switch (self.program, resting) {
      // The split screen follows from the PK.
      case (_, let forward?), (.forward(let forward), nil): .forward(audio: forward.audio, video: forward.video)
      case (.merge(let mix, let params), nil): .merge(params, mix.key.layouts)
      }
    return StoredJob(
      jobId: id, program: program, publishUrl: url?.text, record: place?.recording?.description, owner: owner,
      by: info.by ?? "", startedAt: info.startedAt ?? 0)
  }
}
