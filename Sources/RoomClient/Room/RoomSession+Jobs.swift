import RoomProtocol

/// Relay jobs.
extension RoomSession {
  func startForward(_ job: ForwardParams) async throws -> JobInfo {
    let info = try await request(.startForward(job), for: JobInfo.self)
    forwards[job.jobId] = job
    return info
  }

  func startMerge(_ job: MergeParams) async throws -> JobInfo { try await request(.startMerge(job), for: JobInfo.self) }

  func setLayouts(_ params: LayoutsParams) async throws { let _: Empty = try await request(.setLayouts(params)) }

  func stopJob(_ jobId: String) async throws { let _: Empty = try await request(.stopJob(JobParams(jobId: jobId))) }
}
