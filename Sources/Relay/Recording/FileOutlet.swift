import NIOPosix
public import RoomRTMP
import Synchronization

/// Writes a broadcast to files. The broadcast's thread only queues messages; other threads write the files.
public final class FileOutlet: BroadcastOutlet {
  /// The result of a recording.
  public struct Summary: Sendable {
    /// The file names in the order of writing; empty if nothing was recorded.
    public var files: [String]
    public var bytes: Int64
    /// Pictures dropped because the disk was too slow.
    public var droppedPictures: Int
    /// The reason why the recording ended before its broadcast; nil if it did not.
    public var failure: RecordingFailure?
  }

  private struct Queue {
    var backlog: RecordingBacklog
    var isClosed = false
    /// Whether the file accepts no more messages.
    var isOver = false
    /// Whether a drain is scheduled.
    var isScheduled = false
    var scheduledAt: UInt32 = 0

    /// Returns whether enough is queued to schedule a drain.
    func isDue(_ message: MediaMessage) -> Bool {
      guard !isScheduled else { return false }
      let waited = Int32(bitPattern: message.timestamp &- scheduledAt)
      return waited >= 200 || waited < 0 || backlog.bytes >= 65_536
    }
  }

  private let pool: NIOThreadPool
  private let tally: RecordingTally
  private let queue: Mutex<Queue>
  /// Locked by the thread that writes.
  private let files: Mutex<RecordingFiles>
  private let ended: @Sendable (Summary) -> Void

  init(
    _ name: RecordingName, resumes: Bool = false, settings: Recordings.Settings, pool: NIOThreadPool, tally: RecordingTally,
    create: @escaping RecordingFiles.Create, ended: @escaping @Sendable (Summary) -> Void
  ) throws(RecordingFailure) {
    self.pool = pool
    self.tally = tally
    self.ended = ended
    queue = Mutex(Queue(backlog: RecordingBacklog(limit: settings.backlog)))
    files = Mutex(try RecordingFiles(name, resumes: resumes, writer: name.writer(), limit: settings.limit, create: create))
    tally.begin()
  }

  public func send(_ message: MediaMessage) {
    let isDue = queue.withLock { queue in
      guard !queue.isOver, !queue.isClosed else { return false }
      queue.backlog.push(message)
      guard queue.isDue(message) else { return false }
      queue.isScheduled = true
      queue.scheduledAt = message.timestamp
      return true
    }
    if isDue { schedule() }
  }

  public func close() {
    let isIdle = queue.withLock { queue in
      guard !queue.isClosed else { return false }
      queue.isClosed = true
      defer { queue.isScheduled = true }
      return !queue.isOver && !queue.isScheduled
    }
    if isIdle { schedule() }
  }

  private func schedule() {
    // The closure is called even if the pool is stopped.
    pool.submit { _ in self.drain() }
  }

  /// Writes the queued messages. Only one thread runs it, because it is scheduled only while no drain is pending.
  private func drain() {
    let (messages, isClosed, lost) = queue.withLock { queue in
      (queue.backlog.take(), queue.isClosed, queue.backlog.droppedPictures)
    }
    let summary = files.withLock { files -> Summary? in
      let before = files.bytes
      var failure: RecordingFailure?
      do throws(RecordingFailure) {
        try files.write(messages)
        if isClosed { try files.finish() }
      } catch {
        files.abandon(error)
        failure = error
      }
      tally.wrote(files.bytes - before)
      guard isClosed || failure != nil else { return nil }
      return Summary(files: files.names, bytes: files.bytes, droppedPictures: lost, failure: failure)
    }
    let isDueAgain = queue.withLock { queue in
      if summary != nil {
        queue.isOver = true
        _ = queue.backlog.take()
      } else {
        queue.isScheduled = queue.isClosed || queue.backlog.bytes >= 65_536
      }
      return summary == nil && queue.isScheduled
    }
    if isDueAgain { schedule() }
    guard let summary else { return }
    tally.end(summary)
    ended(summary)
  }
}
