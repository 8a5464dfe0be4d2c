import NIOPosix
import Synchronization

/// Writes one track to a file. The track's thread only queues fragments; other threads write the file.
///
/// If the disk is too slow, whole fragments are dropped, up to one that starts with a key frame.
public final class TrackOutlet: Sendable {
  private struct Backlog: WriteBacklog {
    /// The maximum size in bytes.
    let limit: Int
    var writer: TrackWriter
    /// When the first frame was captured, in ms since 1970, as far as the reports of the publisher show by now.
    var startedAt: Int64
    private var fragments: [TrackWriter.Fragment] = []
    private var bytes = 0
    private var isSkipping = false
    private var dropped = 0

    init(_ writer: TrackWriter, startedAt: Int64, limit: Int) {
      self.writer = writer
      self.startedAt = startedAt
      self.limit = limit
    }

    var isDue: Bool { !fragments.isEmpty }

    mutating func push(_ fragment: TrackWriter.Fragment?) {
      guard let fragment else { return }
      if isSkipping, fragment.startsWithKeyFrame { isSkipping = false }
      if bytes + fragment.bytes.count > limit { isSkipping = true }
      guard !isSkipping else { return dropped += 1 }
      fragments.append(fragment)
      bytes += fragment.bytes.count
    }

    mutating func take() -> Batch {
      defer { (fragments, bytes) = ([], 0) }
      return (fragments, writer.header, startedAt, dropped)
    }
  }

  private typealias Batch = (fragments: [TrackWriter.Fragment], header: [UInt8], startedAt: Int64, dropped: Int)

  /// What only the thread that writes uses.
  private struct Disk {
    let file: CataloguedFile
    var index = FragmentIndex()
    var size: Int64 = 0
    var startedAt: Int64
  }

  private let limit: Int64
  private let tally: RecordingTally
  private let queue: WriteQueue<Backlog>
  private let disk: Mutex<Disk>
  private let ended: @Sendable (RecordingFailure?) -> Void
  private let name: String

  init(
    _ name: String, _ format: TrackFormat, file: sending CataloguedFile, startedAt: Int64, settings: Recordings.Settings,
    pool: NIOThreadPool, tally: RecordingTally, ended: @escaping @Sendable (RecordingFailure?) -> Void
  ) {
    self.name = name
    self.tally = tally
    self.ended = ended
    limit = settings.limit
    // The header is written with the first fragment: a file without frames stays empty, and is removed.
    queue = WriteQueue(Backlog(TrackWriter(format), startedAt: startedAt, limit: settings.backlog), pool: pool)
    disk = Mutex(Disk(file: file, startedAt: startedAt))
    tally.begin()
  }

  var format: TrackFormat { queue.read { $0.writer.format } }

  /// Adds a frame.
  /// - Parameters:
  ///   - time: ticks since the first frame.
  ///   - startedAt: when the first frame was captured, in ms since 1970, as this frame shows.
  func add(_ sample: TrackSamples.Output, at time: Int64, startedAt: Int64) {
    queue.add(
      { backlog in
        backlog.startedAt = startedAt
        backlog.push(backlog.writer.add(sample, at: time))
      }, drain: drain)
  }

  /// Completes the file.
  func close() { queue.close({ $0.push($0.writer.finish()) }, drain: drain) }

  @Sendable private func drain() {
    let summary = queue.drain(drain) { batch, isLast in disk.withLock { write(batch, isLast, &$0) } }
    guard let summary else { return }
    tally.end(summary)
    ended(summary.failure)
  }

  /// Returns the result once the file is complete, or has failed.
  private func write(_ batch: Batch, _ isLast: Bool, _ disk: inout Disk) -> FileOutlet.Summary? {
    var failure: RecordingFailure?
    let before = disk.size
    do throws(RecordingFailure) {
      // Before the write, which may fail: the file keeps what it has by then.
      if !batch.fragments.isEmpty || disk.size > 0, abs(batch.startedAt - disk.startedAt) >= 2 {
        disk.startedAt = batch.startedAt
        disk.file.trackStarted(at: batch.startedAt)
      }
      try write(batch.fragments, batch.header, &disk)
      if isLast, disk.size > 0 { try write(disk.index.encoded(track: 1), &disk) }
    } catch {
      failure = error
      disk.file.failed(error)
      // What a failed write left of a fragment.
      disk.file.truncate(to: disk.size)
    }
    tally.wrote(disk.size - before)
    guard isLast || failure != nil else { return nil }
    if disk.size == 0 { disk.file.remove() }
    disk.file.close()
    return FileOutlet.Summary(files: [name], bytes: 0, droppedPictures: batch.dropped, failure: failure)
  }

  private func write(_ fragments: [TrackWriter.Fragment], _ header: [UInt8], _ disk: inout Disk) throws(RecordingFailure) {
    for fragment in fragments {
      if disk.size == 0 { try write(header, &disk) }
      guard Int64(fragment.bytes.count) <= limit - disk.size else { throw .limit(limit) }
      if fragment.startsWithKeyFrame { disk.index.add(time: fragment.time, offset: disk.size) }
      try write(fragment.bytes, &disk)
    }
    if !fragments.isEmpty { try disk.file.sync() }
  }

  private func write(_ bytes: [UInt8], _ disk: inout Disk) throws(RecordingFailure) {
    guard !bytes.isEmpty else { return }
    try disk.file.write(bytes)
    disk.size += Int64(bytes.count)
  }
}
