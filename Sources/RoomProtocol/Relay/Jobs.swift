/// The parameters of a forward job: the tracks of one participant and the URL to send them to.
public struct ForwardParams: Codable, Sendable, Hashable {
  /// The job's id, chosen by the caller: 1 to 64 bytes, unique among the room's running jobs.
  public var jobId: JobID
  /// The destination: `rtmp://` or `rtmps://` with application and stream, `srt://host:port` with SRT's options, or
  /// `file:NAME.mp4` or `file:NAME.flv` for a recording.
  ///
  /// `serialnum=N` in the query orders the jobs of one URL: the largest number takes over. Nil if the room's ``PushPolicy``
  /// defines the URL.
  public var publishUrl: String?
  /// The participant whose main tracks are sent, including those that later replace them; nil for the caller.
  public var userId: UserID?
  /// The audio track to send, including a later one of the same publisher and tag; nil for the main audio track.
  ///
  /// If only one of the two track ids is set, and neither `userId` nor `kinds`, the job sends only that track's kind.
  public var audioTrackId: TrackID?
  /// The video track to send, including a later one of the same publisher and tag; nil for the main video track. See
  /// ``audioTrackId``.
  public var videoTrackId: TrackID?
  /// The kinds to send; nil for both. `["audio"]` or `["video"]` sends one kind only.
  public var kinds: [TrackKind]?
  /// What the job shows while the room changes; nil means `anchor` if the job names a user or a track, otherwise the choice of
  /// the room's ``PushPolicy``. A job that names a track can't follow the stage.
  public var follow: JobFollow?
  /// A recording made in addition to the main output: `NAME.mp4` or `NAME.flv`; nil for none. A job that takes over continues
  /// the file.
  public var record: String?
  /// `separate` records each track into a file of its own, as it is published, instead of sending a program. The job then has
  /// neither `publishUrl`, track ids, `follow` nor `record`; `userId`, `tag` and `kinds` select tracks, nil those of everybody.
  public var tracks: JobTracks?
  /// With ``tracks``: the tag of the tracks to record; nil for any.
  public var tag: String?

  /// Creates the parameters.
  public init(
    jobId: JobID, publishUrl: String? = nil, userId: UserID? = nil, audioTrackId: TrackID? = nil, videoTrackId: TrackID? = nil,
    kinds: [TrackKind]? = nil, follow: JobFollow? = nil, record: String? = nil, tracks: JobTracks? = nil, tag: String? = nil
  ) {
    self.follow = follow
    self.tracks = tracks
    self.tag = tag
    self.jobId = jobId
    self.publishUrl = publishUrl
    self.userId = userId
    self.audioTrackId = audioTrackId
    self.videoTrackId = videoTrackId
    self.kinds = kinds
    self.record = record
  }
}

/// The parameters of a call that concerns one job.
public struct JobParams: Codable, Sendable, Hashable {
  /// The job's id.
  public var jobId: JobID
  /// Creates the parameters.
  public init(jobId: JobID) { self.jobId = jobId }
}

/// The state of a running relay job.
public struct JobInfo: Codable, Sendable, Hashable {
  /// The job's id.
  public var jobId: JobID
  /// The kind of the job.
  public var kind: JobKind
  /// The state of the job's connection to its destination.
  public var state: JobState
  /// The destination without parts that may contain a key.
  public var target: String?
  /// The application and stream at this server's own origin, "live/show"; nil if the job sends elsewhere.
  public var stream: String?
  /// The name of the additional recording; nil for none.
  public var record: String?
  /// The user who started the job; empty for a REST API call.
  public var by: UserID?
  /// The start time in milliseconds since 1970.
  public var startedAt: Int64?
  /// Whether the job's program is on air; false while the job waits to take over.
  public var onAir: Bool?
  /// The reason why the last connection failed; nil if none failed.
  public var failure: JobFailure?
  /// For a merge job, the tracks and users of its layouts that are currently missing.
  public var missing: [String]?
  /// For a merge job, the participant under which the mix is published in the room.
  public var publishAs: UserID?
  /// What a forward job shows while the room changes; nil for a merge job.
  public var follow: JobFollow?
  /// `separate` for a job that records each track into a file of its own.
  public var tracks: JobTracks?

  /// Creates the state of a job.
  public init(
    jobId: JobID, kind: JobKind, state: JobState, target: String? = nil, stream: String? = nil, record: String? = nil,
    by: UserID? = nil, startedAt: Int64? = nil, onAir: Bool? = nil, failure: JobFailure? = nil, missing: [String]? = nil,
    publishAs: UserID? = nil, follow: JobFollow? = nil, tracks: JobTracks? = nil
  ) {
    self.follow = follow
    self.tracks = tracks
    self.missing = missing
    self.publishAs = publishAs
    self.jobId = jobId
    self.kind = kind
    self.state = state
    self.target = target
    self.stream = stream
    self.record = record
    self.by = by
    self.startedAt = startedAt
    self.onAir = onAir
    self.failure = failure
  }
}

/// The reason why a connection of a relay job failed.
public struct JobFailure: Codable, Sendable, Hashable {
  /// The cause.
  public var cause: JobFailureCause
  /// A sentence that describes the failure; for `rejected` it includes the server's message.
  public var message: String

  /// Creates a failure.
  public init(cause: JobFailureCause, message: String) {
    self.cause = cause
    self.message = message
  }
}

/// The data of a `jobStatus` event: the throughput of a relay job.
public struct JobStatusData: Codable, Sendable, Hashable {
  /// The job's id.
  public var jobId: JobID
  /// The state of the connection; see ``JobInfo/state``.
  public var state: JobState
  /// Video frames sent per second.
  public var fps: Int
  /// The output bitrate in kbit/s.
  public var kbps: Int
  /// The length of the send queue in milliseconds of media.
  public var queue: Int
  /// The number of video frames dropped so far because the destination was too slow.
  public var dropped: Int
  /// The number of connections so far.
  public var connections: Int
  /// For a merge job, the delay of the mix behind its sources in milliseconds.
  public var delay: Int?

  /// Creates the data of the event.
  public init(
    jobId: JobID, state: JobState, fps: Int, kbps: Int, queue: Int, dropped: Int, connections: Int, delay: Int? = nil
  ) {
    self.delay = delay
    self.jobId = jobId
    self.state = state
    self.fps = fps
    self.kbps = kbps
    self.queue = queue
    self.dropped = dropped
    self.connections = connections
  }
}

/// The reason why a relay job ended.
public enum JobEndReason: String, Codable, Sendable, Hashable {
  /// The job was stopped by a call.
  case stopped
  /// A job with a larger `serialnum` took over the URL.
  case takenOver
  /// None of the job's tracks was published for too long.
  case noTracks
  /// The destination is unreachable or rejects the stream; `failure` says why.
  case failed
  /// The room was closed.
  case roomClosed
}

/// The data of a `jobEnded` event.
public struct JobEndedData: Codable, Sendable, Hashable {
  /// The job's id.
  public var jobId: JobID
  /// The reason.
  public var reason: JobEndReason
  /// The last failure; nil unless the reason is `failed`.
  public var failure: JobFailure?

  /// Creates the data of the event.
  public init(jobId: JobID, reason: JobEndReason, failure: JobFailure? = nil) {
    self.jobId = jobId
    self.reason = reason
    self.failure = failure
  }
}
