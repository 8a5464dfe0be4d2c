import RoomProtocol

/// What LiveKit's webhooks report when an event about a job of an egress happened.
enum EgressReport: String {
  case started = "egress_started"
  case updated = "egress_updated"
  /// Exactly one event of an egress is this one: the end of the last job, or of the last file, if that comes later.
  case ended = "egress_ended"

  /// Returns nil for an event that changes nothing.
  /// - Parameters:
  ///   - record: the egress, with this event applied, and perhaps later ones.
  ///   - time: milliseconds since 1970.
  init?(_ event: WebhookEvent.Name, of job: JobID, at time: Int64, in record: EgressRecord) {
    switch event {
    case .jobStarted: self = job == record.firstJob ? .started : .updated
    case .jobOnAir, .jobConnected, .jobReconnecting, .jobFailed: self = .updated
    case .jobEnded:
      let isLast = record.isOver && time == record.endedAt && job == record.lastJob
      let files = record.outputs.flatMap(\.files)
      self = isLast && !record.awaitsFile && files.allSatisfy { $0.reportedAt < time } ? .ended : .updated
    case .recordingReady, .recordingFailed:
      let last = record.outputs.flatMap { output in output.files.map { (job: output.job, time: $0.reportedAt) } }
        .max { $0.time < $1.time }
      guard record.isOver, !record.awaitsFile, let last, last.job == job, last.time == time, time >= record.endedAt else {
        return nil
      }
      self = .ended
    default: return nil
    }
  }
}

extension EgressRecord {
  fileprivate var firstJob: JobID { JobID("\(id).1") }

  /// The job that ended last.
  fileprivate var lastJob: JobID? { outputs.last { $0.endedAt == endedAt }?.job }

  /// Whether a job has written a file that is not complete yet.
  fileprivate var awaitsFile: Bool {
    outputs.contains { output in
      switch output.kind {
      case .file, .track: output.startedAt > 0 && output.state != .failed && output.files.isEmpty
      case .stream, .segments: false
      }
    }
  }
}
