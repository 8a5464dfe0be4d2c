import RoomProtocol

/// Relay jobs.
extension RoomSession {
  func startForward(_ job: ForwardParams) async throws -> JobInfo {
    let info = try await request(.startForward(job), for: JobInfo.self)
    ownJobs.started(job)
    return info
  }

  /// Starts a job of this client again. If the server rejects it, `jobEnded` with `failed` follows.
  /// - Returns: whether the job was started.
  @discardableResult
  func startForwardAgain(_ job: ForwardParams) async -> Bool {
    do {
      _ = try await startForward(job)
      return true
    } catch {
      store.say(.jobEnded(jobId: job.jobId, reason: .failed, failure: JobFailure(cause: .rejected, message: "\(error)")))
      return false
    }
  }

  /// Forward jobs of this client that send its own tracks, by their ids.
  var ownForwards: [ForwardParams] {
    ownJobs.forwards(of: userId, with: Set(publisher.published.map(\.trackId)))
  }

  /// Records the URL with the current number of a running job.
  func setURL(_ url: String?, ofForward jobId: JobID) { ownJobs.setURL(url, ofForward: jobId) }

  func startMerge(_ job: MergeParams) async throws -> JobInfo { try await request(.startMerge(job), for: JobInfo.self) }

  func setLayouts(_ params: LayoutsParams) async throws { let _: Empty = try await request(.setLayouts(params)) }

  func stopJob(_ jobId: JobID) async throws {
    let _: Empty = try await request(.stopJob(JobParams(jobId: jobId)))
    // The end may have arrived already.
    ownJobs.stopped(jobId, isRunning: store.runsAny(of: [jobId]))
  }
}
