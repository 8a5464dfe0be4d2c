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
    let page = broadcasts.recordings?.page(of: room.rawValue, after: nil, limit: Self.searched)
    return page?.recordings.first { $0.owner?.job == job.rawValue && $0.state == .writing }?.size
  }
}
