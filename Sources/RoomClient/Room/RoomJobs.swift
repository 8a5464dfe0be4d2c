import RoomProtocol

/// The relay jobs of a room, which send its tracks to a server of RTMP or SRT, into a file or, mixed, into the room.
///
/// ```swift
/// try await room.jobs.start(ForwardParams(jobId: "live", publishUrl: "rtmp://push.cdn.example/live/streamkey"))
/// for await event in room.jobs.events() {
///   if case .changed(let job) = event { print(job.jobId, job.state) }
/// }
/// ```
///
/// Every call needs the `relay` grant. The call throws `RoomError` if the server rejects it, and ``RoomClientError`` if the
/// server cannot be reached.
public struct RoomJobs: Sendable {
  let session: RoomSession

  /// The running jobs of all participants and of the REST API.
  public var all: [JobInfo] { session.store.value.room?.jobs ?? [] }

  /// The job with this id; nil if it is not running.
  public subscript(jobId: JobID) -> JobInfo? { all.first { $0.jobId == jobId } }

  /// Returns a new stream of the jobs' events; see ``Room/events()`` for what it contains and loses.
  public func events() -> AsyncStream<JobEvent> { session.store.events.jobs.stream() }

  /// Starts a job that sends a participant's tracks, by default this client's, to a server of RTMP or SRT, or a file.
  ///
  /// The job's events report the progress. At the server's own origin the stream has the room's name.
  /// - Returns: the job as the server started it.
  /// - Throws: `RoomError` 80204 for an invalid parameter; 80202 for a track that does not exist; 80201 for a `serialnum` that
  ///   is not the largest, a job id in use, or too many jobs; 10003 without the grant, or if the URL's broadcast belongs to
  ///   another room.
  @discardableResult public func start(_ job: ForwardParams) async throws -> JobInfo { try await session.startForward(job) }

  /// Starts a job that sends a mix of the room's tracks to a server of RTMP or SRT, a file or into the room.
  ///
  /// The job's events report the progress.
  /// - Returns: the job as the server started it.
  /// - Throws: `RoomError` 80204 naming the invalid field; 80202 for a track that does not exist; 80201 for a `serialnum` that
  ///   is not the largest, or if the server has no capacity for the mix; 10003 as for a forward job.
  @discardableResult public func start(_ job: MergeParams) async throws -> JobInfo {
    try await session.request(.startMerge(job), for: JobInfo.self)
  }

  /// Replaces the layouts of a merge job from the next frame on.
  /// - Throws: as starting a merge job.
  public func setLayouts(_ layouts: [TrackLayout], of jobId: JobID) async throws {
    let _: Empty = try await session.request(.setLayouts(LayoutsParams(jobId: jobId, layouts: layouts)))
  }

  /// Stops a job. The event `ended` with the reason `stopped` follows, also if ``Room/leave()`` is called in between.
  /// - Throws: `RoomError` 10003 without the grant, 80204 if there is no such job.
  public func stop(_ jobId: JobID) async throws { try await session.stopJob(jobId) }
}
