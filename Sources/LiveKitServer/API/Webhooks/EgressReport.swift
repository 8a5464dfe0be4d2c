import RoomProtocol
import RoomServer

/// What LiveKit's webhooks report when an event about a job of an egress happened.
enum EgressReport: String {
  case started = "egress_started"
  case updated = "egress_updated"
  /// The end of the last job, or of the last file, if that comes later.
  case ended = "egress_ended"

  /// Returns nil for an event that changes nothing.
  /// - Parameters:
  ///   - record: the egress, with this event applied, and perhaps later ones.
  ///   - time: milliseconds since 1970.
  ///   - isWriting: whether a job of the egress is writing a file, which is going to be reported.
  init?(_ event: WebhookEvent.Name, of job: JobID, at time: Int64, in record: EgressRecord, isWriting: Bool) {
    switch event {
    // A job that continues after a restart starts again.
    case .jobStarted: self = job == record.firstJob && time == record.begunAt ?? time ? .started : .updated
    case .jobOnAir, .jobConnected, .jobReconnecting, .jobFailed: self = .updated
    case .jobEnded:
      let isLast = record.isOver && time == record.endedAt && job == record.lastJob ?? job
      let files = record.outputs.flatMap(\.files)
      // Of the same millisecond, either event may come first. The end is reported by the first one that says so.
      self = isLast && !isWriting && files.allSatisfy { $0.reportedAt <= time } ? .ended : .updated
    case .recordingReady, .recordingFailed:
      let last = record.outputs.flatMap { output in output.files.map { (job: output.job, time: $0.reportedAt) } }
        .max { $0.time < $1.time }
      guard record.isOver, !isWriting, let last, last.job == job, last.time == time, time >= record.endedAt else {
        return nil
      }
      self = .ended
    default: return nil
    }
  }
}
