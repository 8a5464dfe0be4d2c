import RoomProtocol

/// The relay jobs that this client started and stopped. Pure.
struct OwnJobs: Sendable {
  /// The running forward jobs by id, with the parameters of the call.
  private var forwards: [JobID: ForwardParams] = [:]
  /// The stopped jobs whose end has not arrived.
  private(set) var stopping: Set<JobID> = []

  mutating func started(_ job: ForwardParams) { forwards[job.jobId] = job }

  /// - Parameter isRunning: whether the job's end has not arrived yet.
  mutating func stopped(_ jobId: JobID, isRunning: Bool) { if isRunning { stopping.insert(jobId) } }

  mutating func ended(_ jobId: JobID) {
    forwards[jobId] = nil
    stopping.remove(jobId)
  }

  /// Applies the jobs of a new join. Returns the forward jobs to start again.
  /// - Parameters:
  ///   - running: the jobs of the room.
  ///   - isOther: whether the room was created again, perhaps on another server, and has lost its jobs.
  mutating func joined(running: [JobInfo], isOther: Bool) -> [ForwardParams] {
    let lost = isOther ? forwards.values.sorted { $0.jobId < $1.jobId } : []
    let ids = Set(running.map(\.jobId))
    forwards = forwards.filter { ids.contains($0.key) }
    stopping.formIntersection(ids)
    return lost
  }

  /// The forward jobs that send the own tracks, by their ids.
  func forwards(of userId: UserID, with tracks: Set<TrackID>) -> [ForwardParams] {
    forwards.values.sorted { $0.jobId < $1.jobId }.filter { job in
      (job.userId ?? userId) == userId && [job.audioTrackId, job.videoTrackId].allSatisfy { $0.map(tracks.contains) ?? true }
    }
  }

  /// Records the URL with the current number of a running job.
  mutating func setURL(_ url: String?, ofForward jobId: JobID) { forwards[jobId]?.publishUrl = url }
}
