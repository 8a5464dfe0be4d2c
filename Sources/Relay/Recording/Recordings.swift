import Glibc
import NIOPosix
import Synchronization

/// The directory of recordings and the threads that write to it.
public final class Recordings: Sendable {
  /// The location and limits of recordings.
  public struct Settings: Sendable, Hashable {
    /// An existing directory.
    public var directory: String
    /// The maximum size of a file in bytes. A recording that reaches it ends.
    public var limit: Int64
    /// The maximum size of the data of a recording that waits for the disk, in bytes. Above it, pictures are dropped.
    public var backlog = 8 << 20
    /// The number of writer threads, at least 1. This many slow files do not delay the others.
    public var threads = 2

    /// - Parameter limit: The maximum size of a file in bytes; 8 GiB by default.
    public init(directory: String, limit: Int64 = 8 << 30) {
      self.directory = directory
      self.limit = limit
    }

    /// The reason why the directory cannot be used; nil if it can.
    public var validationError: String? {
      guard limit > 0 else { return "the limit of a recording must be at least 1 byte" }
      var status = stat()
      guard stat(directory, &status) == 0 else { return "\(directory): \(String(cString: strerror(errno)))" }
      guard status.st_mode & S_IFMT == S_IFDIR else { return "\(directory) is not a directory" }
      guard access(directory, W_OK | X_OK) == 0 else { return "\(directory): \(String(cString: strerror(errno)))" }
      return nil
    }
  }

  private struct State {
    /// Created with the first recording.
    var pool: NIOThreadPool?
    var outlets: [Int: FileOutlet] = [:]
    var lastOutlet = 0
    var isStopping = false
  }

  public let settings: Settings
  private let tally = RecordingTally()
  private let state = Mutex(State())

  public init(_ settings: Settings) { self.settings = settings }

  /// The counters of all recordings.
  public var counters: RecordingCounters { tally.counters }

  /// Creates a file and returns the outlet that writes to it.
  /// - Parameters:
  ///   - resumes: Whether to continue a recording of this name in its next free file.
  ///   - ended: Called once on a writer thread when the file is complete or has failed.
  /// - Throws: ``RecordingFailure`` if no file of this name can be created.
  public func begin(
    _ name: RecordingName, resumes: Bool = false, ended: @escaping @Sendable (FileOutlet.Summary) -> Void
  ) throws(RecordingFailure) -> FileOutlet {
    do throws(RecordingFailure) {
      return try make(name, resumes: resumes, ended: ended)
    } catch {
      // No caller waits for a response that could report this error.
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

  /// Ends all recordings and waits up to 10 s until their files are complete.
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

/// Counters of all recordings.
public struct RecordingCounters: Sendable, Hashable {
  /// Recordings in progress.
  public var live = 0
  public var begun = 0
  public var bytes: Int64 = 0
  /// Pictures dropped by finished recordings because the disk was too slow.
  public var droppedPictures = 0
  /// Recordings that ended before their broadcast, by ``RecordingFailure/name``.
  public var failures: [String: Int] = [:]

  /// Creates counters with all values zero.
  public init() {}
}

/// Collects the counters of a directory's recordings.
final class RecordingTally: Sendable {
  private let state = Mutex(RecordingCounters())

  var counters: RecordingCounters { state.withLock { $0 } }

  func begin() {
    state.withLock {
      $0.live += 1
      $0.begun += 1
    }
  }

  /// Counts a recording that cannot continue after a restart.
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
