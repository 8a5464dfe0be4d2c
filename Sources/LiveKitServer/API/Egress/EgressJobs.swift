import RoomEngine
import RoomProtocol
import RoomRelay
import RoomServer

/// The relay jobs of this server's rooms, as egresses need them.
protocol EgressJobs: AnyObject, Sendable {
  /// Returns whether a room has a job.
  func runs(_ job: JobID, in room: RoomName) async -> Bool
  func stop(_ job: JobID, in room: RoomName) async
  /// Returns the bytes on disk of the file that a job is writing; nil if it writes none.
  func bytesWritten(by job: JobID, in room: RoomName) -> Int64?
  /// Returns the names of a job's files that have content and ended, reported or about to be.
  func endedFiles(of job: JobID, in room: RoomName) -> Set<String>
  /// Reports an event as the room would.
  func report(_ event: WebhookEvent)
}

extension RoomDirectory: EgressJobs {
  /// The maximum number of a room's recordings that are searched, the newest first.
  private static let searched = 1000

  func runs(_ job: JobID, in room: RoomName) async -> Bool { await self.room(room)?.read { $0.hasJob(job) } ?? false }

  func stop(_ job: JobID, in room: RoomName) async {
    _ = try? await self.room(room)?.call(.stopJob(JobParams(jobId: job)))
  }

  nonisolated func bytesWritten(by job: JobID, in room: RoomName) -> Int64? {
    recordings(of: job, in: room).first { $0.state == .writing }?.size
  }

  nonisolated func endedFiles(of job: JobID, in room: RoomName) -> Set<String> {
    Set(recordings(of: job, in: room).filter { $0.state != .writing && $0.size > 0 }.map(\.name))
  }

  private nonisolated func recordings(of job: JobID, in room: RoomName) -> [RecordingFacts] {
    let page = broadcasts.recordings?.page(of: room.rawValue, after: nil, limit: Self.searched)
    return (page?.recordings ?? []).filter { $0.owner?.job == job.rawValue }
  }
}
