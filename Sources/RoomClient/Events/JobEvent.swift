import RoomProtocol

/// An event of the room's relay jobs; see ``RoomJobs/events()``.
///
/// New versions of the library may add cases, so a `switch` should have a `default`.
public enum JobEvent: Sendable {
  /// A job started, or its state changed.
  case changed(JobInfo)
  /// The status of a job, every 3 s; only with the `relay` or the `admin` grant.
  case status(JobStatusData)
  /// A job ended; `failure` is nil unless the reason is `failed`.
  case ended(jobId: JobID, reason: JobEndReason, failure: JobFailure?)
  /// The connection returned. Events of jobs in between are missing; ``RoomJobs/all`` is current.
  case refreshed

  init?(_ event: RoomEvent) {
    switch event {
    case .jobChanged(let job): self = .changed(job)
    case .jobStatus(let status): self = .status(status)
    case .jobEnded(let jobId, let reason, let failure): self = .ended(jobId: jobId, reason: reason, failure: failure)
    case .stateChanged(.connected): self = .refreshed
    default: return nil
    }
  }
}
