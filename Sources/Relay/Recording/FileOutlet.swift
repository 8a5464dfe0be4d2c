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

  private struct Backlog: WriteBacklog {
    /// The media time in milliseconds, and the size in bytes, of which one suffices for a write.
    private static let (time, bytes) = (Int32(200), 65_536)

    var messages: RecordingBacklog
    private var newest: UInt32 = 0
    private var taken: UInt32 = 0

    init(limit: Int) { messages = RecordingBacklog(limit: limit) }

    var isDue: Bool {
      let waited = Int32(bitPattern: newest &- taken)
      return waited >= Self.time || waited < 0 || messages.bytes >= Self.bytes
    }

    mutating func push(_ message: MediaMessage) {
      newest = message.timestamp
      messages.push(message)
    }

    mutating func take() -> (messages: [MediaMessage], droppedPictures: Int) {
      taken = newest
      return (messages.take(), messages.droppedPictures)
    }
  }

  private let tally: RecordingTally
  private let queue: WriteQueue<Backlog>
  /// Locked by the thread that writes.
  private let files: Mutex<RecordingFiles>
  private let ended: @Sendable (Summary) -> Void

  init(
    _ name: RecordingName, resumes: Bool = false, settings: Recordings.Settings, pool: NIOThreadPool, tally: RecordingTally,
    create: @escaping RecordingFiles.Create, ended: @escaping @Sendable (Summary) -> Void
  ) throws(RecordingFailure) {
    self.tally = tally
    self.ended = ended
    queue = WriteQueue(Backlog(limit: settings.backlog), pool: pool)
    files = Mutex(try RecordingFiles(name, resumes: resumes, writer: name.writer(), limit: settings.limit, create: create))
    tally.begin()
  }

  public func send(_ message: MediaMessage) { queue.add({ $0.push(message) }, drain: drain) }

  public func close() { queue.close(drain: drain) }

  @Sendable private func drain() {
    let summary = queue.drain(drain) { batch, isLast in
      files.withLock { files -> Summary? in
        let before = files.bytes
        var failure: RecordingFailure?
        do throws(RecordingFailure) {
          try files.write(batch.messages)
          if isLast { try files.finish() }
        } catch {
          files.abandon(error)
          failure = error
        }
        tally.wrote(files.bytes - before)
        guard isLast || failure != nil else { return nil }
        return Summary(
          files: files.names, bytes: files.bytes, droppedPictures: batch.droppedPictures, failure: failure)
      }
    }
    guard let summary else { return }
    tally.end(summary)
    ended(summary)
  }
}
