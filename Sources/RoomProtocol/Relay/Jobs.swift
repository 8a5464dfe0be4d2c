/// What a forward job sends where.
public struct ForwardParams: Codable, Sendable, Hashable {
  /// Chosen by the caller, 1 to 64 bytes, unique among the room's running jobs.
  public var jobId: JobID
  /// `rtmp://` or `rtmps://` with application and stream, or `file:NAME.mp4` or `file:NAME.flv` for a recording; `serialnum=N` in its
  /// query orders jobs on one URL. Absent where the room's ``PushPolicy`` has the URL.
  public var publishUrl: String?
  /// Whose main tracks are sent, also those it publishes later in their stead; the caller's own if absent.
  public var userId: UserID?
  /// This audio track, and what its publisher publishes later under the same tag in its stead.
  public var audioTrackId: TrackID?
  /// This video track, likewise.
  public var videoTrackId: TrackID?
  /// Both if absent; `["audio"]` or `["video"]` for a job with one kind alone.
  public var kinds: [TrackKind]?
  /// A file that is recorded beside: `NAME.mp4` or `NAME.flv`. A job that takes over goes on in it.
  public var record: String?

  public init(
    jobId: JobID, publishUrl: String? = nil, userId: UserID? = nil, audioTrackId: TrackID? = nil, videoTrackId: TrackID? = nil,
    kinds: [TrackKind]? = nil, record: String? = nil
  ) {
    self.jobId = jobId
    self.publishUrl = publishUrl
    self.userId = userId
    self.audioTrackId = audioTrackId
    self.videoTrackId = videoTrackId
    self.kinds = kinds
    self.record = record
  }
}

public struct JobParams: Codable, Sendable, Hashable {
  public var jobId: JobID
  public init(jobId: JobID) { self.jobId = jobId }
}

/// A running relay job.
public struct JobInfo: Codable, Sendable, Hashable {
  public var jobId: JobID
  /// "forward" or "merge".
  public var kind: String
  /// Of its way to the server: unknown, connecting, connected, disconnecting, disconnected, autoReconnecting, error.
  public var state: String
  /// Where it goes, without what may be a key.
  public var target: String?
  /// Where it can be watched at this server's own origin, if it goes there: application and stream, "live/show".
  public var stream: String?
  /// The file that it is recorded into beside.
  public var record: String?
  /// Who began it; empty for the API.
  public var by: UserID?
  /// Milliseconds since 1970.
  public var startedAt: Int64?
  /// Whether its program is what goes out; false while it waits to take over.
  public var onAir: Bool?
  /// Why the last connection failed.
  public var failure: JobFailure?
  /// Of a merge job: the tracks and users of its layouts that are not there now.
  public var missing: [String]?
  /// Of a merge job: the participant as whom it is published into the room.
  public var publishAs: UserID?

  public init(
    jobId: JobID, kind: String, state: String, target: String? = nil, stream: String? = nil, record: String? = nil,
    by: UserID? = nil, startedAt: Int64? = nil, onAir: Bool? = nil, failure: JobFailure? = nil, missing: [String]? = nil,
    publishAs: UserID? = nil
  ) {
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

/// Why a connection of a relay job failed.
public struct JobFailure: Codable, Sendable, Hashable {
  /// dns, forbidden, refused, tls, handshake, rejected, timeout, broken, stalled or file.
  public var cause: String
  /// A sentence; for `rejected` with the server's own words.
  public var message: String

  public init(cause: String, message: String) {
    self.cause = cause
    self.message = message
  }
}

/// How a relay job goes.
public struct JobStatusData: Codable, Sendable, Hashable {
  public var jobId: JobID
  public var state: String
  /// Frames a second that go out.
  public var fps: Int
  public var kbps: Int
  /// Milliseconds of media that wait for the server.
  public var queue: Int
  /// Video frames dropped so far because the server was too slow.
  public var dropped: Int
  /// Connections so far.
  public var connections: Int
  /// Of a merge job: milliseconds that its mix lags its sources.
  public var delay: Int?

  public init(
    jobId: JobID, state: String, fps: Int, kbps: Int, queue: Int, dropped: Int, connections: Int, delay: Int? = nil
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

/// Why a relay job is over.
public enum JobEndReason: String, Codable, Sendable, Hashable {
  /// It was stopped on request.
  case stopped
  /// A job with a larger serial number took over its URL.
  case takenOver
  /// None of its tracks was there for too long.
  case noTracks
  /// The server can't be reached, or refuses; `failure` tells why.
  case failed
  case roomClosed
}

public struct JobEndedData: Codable, Sendable, Hashable {
  public var jobId: JobID
  public var reason: JobEndReason
  public var failure: JobFailure?

  public init(jobId: JobID, reason: JobEndReason, failure: JobFailure? = nil) {
    self.jobId = jobId
    self.reason = reason
    self.failure = failure
  }
}
