import NIOPosix
import Synchronization

/// Writes one track to a file. The track's thread only queues fragments; other threads write the file.
///
/// If the disk is too slow, whole fragments are dropped, up to one that starts with a key frame.
public final class TrackOutlet: Sendable {
  private struct State {
    var writer: TrackWriter
    var waiting: [TrackWriter.Fragment] = []
    var waitingBytes = 0
    /// When the first frame was captured, in ms since 1970, as far as the reports of the publisher show by now.
    var startedAt: Int64
    var isSkipping = false
    var dropped = 0
    var isClosed = false
    var isOver = false
    var isScheduled = false
  }

  /// What only the thread that writes uses.
  private struct Disk {
    let file: CataloguedFile
    var index = FragmentIndex()
    var size: Int64 = 0
    var startedAt: Int64
  }

  private let pool: NIOThreadPool
  private let limit: Int64
  private let backlog: Int
  private let tally: RecordingTally
  private let state: Mutex<State>
  private let disk: Mutex<Disk>
  private let ended: @Sendable (RecordingFailure?) -> Void
  private let name: String

  init(
    _ name: String, _ format: TrackFormat, file: sending CataloguedFile, startedAt: Int64, settings: Recordings.Settings,
    pool: NIOThreadPool, tally: RecordingTally, ended: @escaping @Sendable (RecordingFailure?) -> Void
  ) {
    self.name = name
    self.pool = pool
    self.tally = tally
    self.ended = ended
    (limit, backlog) = (settings.limit, settings.backlog)
    let writer = TrackWriter(format)
    // The header is written with the first fragment: a file without frames stays empty, and is removed.
    state = Mutex(State(writer: writer, startedAt: startedAt))
    disk = Mutex(Disk(file: file, startedAt: startedAt))
    tally.begin()
  }

  var format: TrackFormat { state.withLock { $0.writer.format } }

  /// Adds a frame.
  /// - Parameters:
  ///   - time: ticks since the first frame.
  ///   - startedAt: when the first frame was captured, in ms since 1970, as this frame shows.
  func add(_ sample: TrackSamples.Output, at time: Int64, startedAt: Int64) {
    let isDue = state.withLock { state in
      guard !state.isClosed, !state.isOver else { return false }
      state.startedAt = startedAt
      guard let fragment = state.writer.add(sample, at: time) else { return false }
      queue(fragment, &state)
      return takesTurn(&state)
    }
    if isDue { schedule() }
  }

  /// Completes the file.
  func close() {
    let isDue = state.withLock { state in
      guard !state.isClosed else { return false }
      state.isClosed = true
      if let fragment = state.writer.finish() { queue(fragment, &state) }
      return takesTurn(&state)
    }
    if isDue { schedule() }
  }

  private func queue(_ fragment: TrackWriter.Fragment, _ state: inout State) {
    if state.isSkipping, fragment.startsWithKeyFrame { state.isSkipping = false }
    if state.waitingBytes + fragment.bytes.count > backlog { state.isSkipping = true }
    guard !state.isSkipping else { return state.dropped += 1 }
    state.waiting.append(fragment)
    state.waitingBytes += fragment.bytes.count
  }

  private func takesTurn(_ state: inout State) -> Bool {
    guard !state.isScheduled, !state.isOver else { return false }
    state.isScheduled = true
    return true
  }

  private func schedule() {
    // The closure is called even if the pool is stopped.
    pool.submit { _ in self.drain() }
  }

  /// Writes what is queued. Only one thread runs it, because it is scheduled only while no drain is pending.
  private func drain() {
    let (fragments, header, startedAt, isClosed) = state.withLock { state in
      defer { (state.waiting, state.waitingBytes) = ([], 0) }
      return (state.waiting, state.writer.header, state.startedAt, state.isClosed)
    }
    var failure: RecordingFailure?
    disk.withLock { disk in
      let before = disk.size
      do throws(RecordingFailure) {
        // Before the write, which may fail: the file keeps what it has by then.
        if !fragments.isEmpty || disk.size > 0, abs(startedAt - disk.startedAt) >= 2 {
          disk.startedAt = startedAt
          disk.file.trackStarted(at: startedAt)
        }
        try write(fragments, header, &disk)
        if isClosed, disk.size > 0 { try write(disk.index.encoded(track: 1), &disk) }
      } catch {
        failure = error
        disk.file.failed(error)
        // What a failed write left of a fragment.
        disk.file.truncate(to: disk.size)
      }
      tally.wrote(disk.size - before)
      guard isClosed || failure != nil else { return }
      if disk.size == 0 { disk.file.remove() }
      disk.file.close()
    }
    let isOver = isClosed || failure != nil
    let (isDueAgain, dropped) = state.withLock { state in
      state.isOver = isOver
      state.isScheduled = !isOver && (state.isClosed || !state.waiting.isEmpty)
      return (state.isScheduled, state.dropped)
    }
    if isDueAgain { schedule() }
    guard isOver else { return }
    tally.end(.init(files: [name], bytes: 0, droppedPictures: dropped, failure: failure))
    ended(failure)
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
