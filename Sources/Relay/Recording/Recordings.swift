import Glibc
import NIOPosix
import Synchronization

/// The directory that broadcasts are recorded into, and the threads that write there.
public final class Recordings: Sendable {
  /// Where recordings go, and what they may take.
  public struct Settings: Sendable, Hashable {
    /// A directory that is there.
    public var directory: String
    /// Bytes that a file may have; a recording that comes to it ends.
    public var limit: Int64
    /// Bytes of a recording that may wait for the disk before pictures are left out.
    public var backlog = 8 << 20
    /// Threads that write; at least 1. So many slow files hinder no other.
    public var threads = 2

    /// - Parameter limit: bytes that a file may have; 8 GiB if nothing else is said.
    public init(directory: String, limit: Int64 = 8 << 30) {
      self.directory = directory
      self.limit = limit
    }

    /// Why nothing can be recorded there; nil where it can.
    public var complaint: String? {
      guard limit > 0 else { return "the limit of a recording is at least 1 byte" }
      var status = stat()
      guard stat(directory, &status) == 0 else { return "\(directory): \(String(cString: strerror(errno)))" }
      guard status.st_mode & S_IFMT == S_IFDIR else { return "\(directory) is no directory" }
      guard access(directory, W_OK | X_OK) == 0 else { return "\(directory): \(String(cString: strerror(errno)))" }
      return nil
    }
  }

  private struct State {
    /// Made with the first recording.
    var pool: NIOThreadPool?
    var outlets: [Int: FileOutlet] = [:]
    var lastOutlet = 0
    var isStopping = false
  }

  public let settings: Settings
  private let tally = RecordingTally()
  private let state = Mutex(State())

  public init(_ settings: Settings) { self.settings = settings }

  /// What recordings did.
  public var counters: RecordingCounters { tally.counters }

  /// Makes a file and gives the outlet that fills it.
  /// - Parameters:
  ///   - resumes: whether it continues a recording of that name, in the next free file of it.
  ///   - ended: called once, from a thread that writes, when the file is complete or has failed.
  /// - Throws: where no file of that name can be made.
  public func begin(
    _ name: RecordingName, resumes: Bool = false, ended: @escaping @Sendable (FileOutlet.Summary) -> Void
  ) throws(RecordingFailure) -> FileOutlet {
    do throws(RecordingFailure) {
      return try make(name, resumes: resumes, ended: ended)
    } catch {
      // Nobody waits for an answer that could say it.
      if resumes { tally.refuse(error) }
      throw error
    }
  }

  private func make(
    _ name: RecordingName, resumes: Bool, ended: @escaping @Sendable (FileOutlet.Summary) -> Void
  ) throws(RecordingFailure) -> FileOutlet {
    let directory = settings.directory
    return try state.withLock { (state) throws(RecordingFailure) in
      guard !state.isStopping else { throw .directory("the server is stopping") }
      let pool = state.pool ?? NIOThreadPool(numberOfThreads: max(1, settings.threads))
      if state.pool == nil { pool.start() }
      state.pool = pool
      state.lastOutlet += 1
      let number = state.lastOutlet
      let outlet = try FileOutlet(
        name, resumes: resumes, settings: settings, pool: pool, tally: tally,
        create: { (name) throws(RecordingFailure) in try DiskFile(name, in: directory) },
        ended: { [weak self] summary in
          self?.state.withLock { $0.outlets[number] = nil }
          ended(summary)
        })
      state.outlets[number] = outlet
      return outlet
    }
  }

  /// Ends all recordings, and waits until their files are complete, for ten seconds at most.
  public func stop() async {
    let (pool, outlets) = state.withLock { state in
      state.isStopping = true
      defer { state.pool = nil }
      return (state.pool, Array(state.outlets.values))
    }
    for outlet in outlets { outlet.close() }
    let deadline = ContinuousClock.now + .seconds(10)
    while tally.counters.live > 0, ContinuousClock.now < deadline { try? await Task.sleep(for: .milliseconds(10)) }
    try? await pool?.shutdownGracefully()
  }
}

/// What recordings did, added up.
public struct RecordingCounters: Sendable, Hashable {
  /// At work.
  public var live = 0
  public var begun = 0
  public var bytes: Int64 = 0
  /// Pictures that were left out because the disk was too slow, of recordings that are over.
  public var droppedPictures = 0
  /// Recordings that ended before their broadcast, by ``RecordingFailure/name``.
  public var failures: [String: Int] = [:]

  /// Nothing done yet.
  public init() {}
}

/// Adds up what the recordings of a directory do.
final class RecordingTally: Sendable {
  private let state = Mutex(RecordingCounters())

  var counters: RecordingCounters { state.withLock { $0 } }

  func begin() {
    state.withLock {
      $0.live += 1
      $0.begun += 1
    }
  }

  /// A recording that can't continue after a restart.
  func refuse(_ failure: RecordingFailure) { state.withLock { $0.failures[failure.name, default: 0] += 1 } }

  func wrote(_ bytes: Int64) { state.withLock { $0.bytes += bytes } }

  func end(_ summary: FileOutlet.Summary) {
    state.withLock {
      $0.live -= 1
      $0.droppedPictures += summary.droppedPictures
      if let failure = summary.failure { $0.failures[failure.name, default: 0] += 1 }
    }
  }
}
