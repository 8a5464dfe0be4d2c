import RoomEngine
import RoomLiveKitProtocol
import RoomProtocol
import RoomServer

/// An egress: what an app server asked for, the jobs that do it, and their outcome. It is stored as a document.
struct EgressRecord: Codable, Sendable, Hashable {
  /// One destination, with the job that sends to it.
  struct Output: Codable, Sendable, Hashable {
    enum Kind: Codable, Sendable, Hashable {
      /// The URL may contain a key.
      case stream(id: String, url: String)
      /// The name of a recording.
      case file(String)
      /// Recordings of one track, whose names follow.
      case track
      /// HLS from this server: the URL of the playlist.
      case segments(name: String, url: String)
    }

    enum State: String, Codable, Sendable { case waiting, active, ended, failed }

    var job: JobID
    var kind: Kind
    var state = State.waiting
    /// Milliseconds since 1970, as all times; 0 before the start.
    var startedAt: Int64 = 0
    var endedAt: Int64 = 0
    var error = ""
    /// The number of lost connections, and the time of the last one.
    var retries: UInt32 = 0
    var retriedAt: Int64 = 0
    var files: [File] = []

    var isOver: Bool { state == .ended || state == .failed }
  }

  /// A complete recording.
  struct File: Codable, Sendable, Hashable {
    var name: String
    var startedAt: Int64
    var endedAt: Int64
    var bytes: Int64
    /// Milliseconds.
    var duration: Int64
    /// When its end was reported.
    var reportedAt: Int64
  }

  /// What ids of egresses begin with.
  static let prefix = "EG_"

  let id: String
  let room: RoomName
  /// The room's name as the app chose it, and the id of the open room.
  let roomName: String
  let roomID: String
  /// The room's session, which events name; nil if an older version stored the egress.
  var session: String?
  /// The request: an `EgressInfo` that has nothing else, as protobuf. It contains no keys.
  let request: [UInt8]
  /// The layout, if it was changed.
  var layout: String?
  var outputs: [Output]
  /// Whether a call has stopped it.
  var isStopping = false
  let createdAt: Int64
  /// When its first job was first reported; nil before. The job is reported again after a restart.
  var begunAt: Int64?
  var startedAt: Int64 = 0
  var endedAt: Int64 = 0
  var updatedAt: Int64
  /// Why it ended.
  var details = ""
  /// The job that ended last; nil before.
  var lastJob: JobID?
  /// The id of the event that reports its end to app servers; nil before.
  var endReport: String?

  var isOver: Bool { outputs.allSatisfy(\.isOver) }

  var status: LiveKit.EgressStatus {
    if isOver {
      if outputs.allSatisfy({ $0.state == .failed }) { return .failed }
      return startedAt == 0 ? .aborted : .complete
    }
    if isStopping { return .ending }
    return startedAt == 0 ? .starting : .active
  }

  // MARK: Events

  /// Returns the id of the egress that a job belongs to; nil for another job.
  static func id(of job: JobID) -> String? {
    guard job.rawValue.hasPrefix(prefix) else { return nil }
    return job.rawValue.split(separator: ".").first.map(String.init)
  }

  var firstJob: JobID { JobID("\(id).1") }

  /// The id of the next job.
  var nextJob: JobID {
    let last = outputs.compactMap { $0.job.rawValue.split(separator: ".").last.flatMap { Int($0) } }.max() ?? 0
    return JobID("\(id).\(last + 1)")
  }

  /// Returns the end of a job whose own report was lost when the server was killed.
  func lostEnd(of job: JobID) -> WebhookEvent {
    WebhookEvent(
      room: room, session: session ?? "", name: .jobEnded,
      data: JobEndedData(jobId: job, reason: isStopping ? .stopped : .roomClosed))
  }

  /// Applies an event about one of its jobs.
  mutating func apply(_ event: WebhookEvent) {
    switch event.data {
    case let job as JobInfo: apply(job, event)
    case let ended as JobEndedData: end(ended, at: event.time)
    case let recording as RecordingInfo: apply(recording, event)
    default: return
    }
    updatedAt = max(updatedAt, event.time)
  }

  private mutating func apply(_ job: JobInfo, _ event: WebhookEvent) {
    guard let index = outputs.firstIndex(where: { $0.job == job.jobId && !$0.isOver }) else { return }
    if event.name == .jobStarted, job.jobId == firstJob, begunAt == nil, startedAt == 0 { begunAt = event.time }
    if event.name == .jobReconnecting {
      outputs[index].retries += 1
      outputs[index].retriedAt = event.time
    }
    if let failure = job.failure { outputs[index].error = failure.message }
    guard job.onAir == true, job.state == .connected else { return }
    if outputs[index].startedAt == 0 { outputs[index].startedAt = event.time }
    (outputs[index].state, outputs[index].error) = (.active, "")
    if startedAt == 0 { startedAt = event.time }
  }

  private mutating func end(_ ended: JobEndedData, at time: Int64) {
    guard let index = outputs.firstIndex(where: { $0.job == ended.jobId && !$0.isOver }) else { return }
    outputs[index].endedAt = time
    outputs[index].state = ended.reason == .failed ? .failed : .ended
    if let failure = ended.failure { outputs[index].error = failure.message }
    guard isOver else { return }
    (endedAt, lastJob) = (time, ended.jobId)
    details =
      switch ended.reason {
      case .stopped: "End reason: StopEgress"
      case .takenOver: "End reason: another job took over the URL"
      case .noTracks, .roomClosed: "End reason: Source closed"
      case .failed: "End reason: Failure"
      }
  }

  private mutating func apply(_ recording: RecordingInfo, _ event: WebhookEvent) {
    guard let index = outputs.firstIndex(where: { $0.job.rawValue == recording.job }) else { return }
    let file = File(
      name: recording.name, startedAt: recording.startedAt, endedAt: recording.endedAt ?? recording.startedAt,
      bytes: recording.bytes, duration: recording.duration ?? 0, reportedAt: event.time)
    outputs[index].files.removeAll { $0.name == file.name }
    outputs[index].files.append(file)
    if let failure = recording.failure { outputs[index].error = failure.message }
  }
}
