import RoomRelay
import RoomProtocol

/// The sources of a job's status: its broadcast, its mix, or both.
struct JobProbe: Sendable {
  let job: JobID
  /// Nil for a mix that is only published into the room.
  let broadcast: LiveBroadcast?
  let mix: LiveMix?

  /// Returns the job's status; nil if it has neither yet.
  func status() async -> JobStatusData? {
    let mixed = await mix?.status()
    if let broadcast { return JobStatusData(job, await broadcast.status(), mixed) }
    return mixed.map { JobStatusData(job, $0) }
  }
}

extension [JobProbe] {
  /// Returns the status of the jobs, in the order of their ids.
  func statuses() async -> [JobStatusData] {
    var all: [JobStatusData] = []
    for probe in self { if let status = await probe.status() { all.append(status) } }
    return all.sorted { $0.jobId < $1.jobId }
  }
}

extension JobStatusData {
  fileprivate init(_ id: JobID, _ status: LiveBroadcast.Status, _ mix: LiveMix.Status?) {
    self.init(
      jobId: id, state: JobState(status.state), fps: status.fps, kbps: status.kilobits, queue: status.queued,
      dropped: Int(clamping: status.dropped), connections: status.connections, delay: mix?.delay)
  }

  fileprivate init(_ id: JobID, _ mix: LiveMix.Status) {
    self.init(
      jobId: id, state: .connected, fps: mix.fps, kbps: mix.bitrate / 1000, queue: 0, dropped: 0,
      connections: 0, delay: mix.delay)
  }
}
