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
    /// Which recordings are deleted; none by default.
    public var retention = RecordingRetention()

    /// - Parameter limit: The maximum size of a file in bytes; 8 GiB by default.
    public init(directory: String, limit: Int64 = 8 << 30) {
      self.directory = directory
      self.limit = limit
    }

    /// The reason why the directory cannot be used; nil if it can.
    public var validationError: String? {
      guard limit > 0 else { return "the limit of a recording must be at least 1 byte" }
      return directoryFault(directory, needing: W_OK | X_OK)
    }
  }

  private struct State {
    /// Created with the first recording.
    var pool: NIOThreadPool?
    var outlets: [Int: FileOutlet] = [:]
    var tracks: [Int: TrackOutlet] = [:]
    var lastOutlet = 0
    var isStopping = false
    /// Deletes what the settings no longer allow.
    var cleaning: Task<Void, Never>?
  }

  /// The interval between two checks for recordings to delete.
  private static let cleaningInterval = Duration.seconds(30)

  public let settings: Settings
  let catalogue: RecordingCatalogue
  private let tally = RecordingTally()
  private let state = Mutex(State())

  /// - Parameter report: Called for each recording that ends or is deleted, on any thread.
  public init(_ settings: Settings, report: @escaping @Sendable (RecordingEvent) -> Void = { _ in }) {
    self.settings = settings
    catalogue = RecordingCatalogue(directory: settings.directory, report: report)
  }

  /// The counters of all recordings, and of the files in the directory.
  public var counters: RecordingCounters {
    var counters = tally.counters
    (counters.stored, counters.storedBytes, counters.unlisted) = catalogue.totals
    return counters
  }

  /// Lists the files that are in the directory, and deletes those that the settings no longer allow from now on. Call it once,
  /// before the first recording begins.
  public func start() async {
    let pool = state.withLock { usedPool(&$0) }
    let unknown = (try? await pool.runIfActive { [catalogue] in catalogue.load() }) ?? []
    let cleaning = Task { [weak self, catalogue] in
      for name in unknown where !Task.isCancelled { try? await pool.runIfActive { catalogue.examine(name) } }
      while !Task.isCancelled, let self {
        await self.clean()
        try? await Task.sleep(for: Self.cleaningInterval)
      }
    }
    state.withLock { $0.cleaning = cleaning }
  }

  private func clean() async {
    guard !settings.retention.keepsAll, let pool = state.withLock({ $0.pool }) else { return }
    let deleted = try? await pool.runIfActive { [catalogue, settings] in catalogue.clean(settings.retention) }
    if let deleted { tally.deleted(deleted) }
  }

  func count(_ deletion: RecordingDeletion) { tally.deleted([deletion: 1]) }

  private func usedPool(_ state: inout State) -> NIOThreadPool {
    if let pool = state.pool { return pool }
    let pool = NIOThreadPool(numberOfThreads: max(1, settings.threads))
    pool.start()
    state.pool = pool
    return pool
  }

  /// Creates a file and returns the outlet that writes to it.
  /// - Parameters:
  ///   - owner: The room and job that record.
  ///   - resumes: Whether to continue a recording of this name in its next free file.
  ///   - ended: Called once on a writer thread when the file is complete or has failed.
  /// - Throws: ``RecordingFailure`` if no file of this name can be created.
  public func begin(
    _ name: RecordingName, of owner: RecordingOwner? = nil, resumes: Bool = false,
    ended: @escaping @Sendable (FileOutlet.Summary) -> Void
  ) throws(RecordingFailure) -> FileOutlet {
    do throws(RecordingFailure) {
      return try make(name, of: owner, resumes: resumes, ended: ended)
    } catch {
      // No caller waits for a response that could report this error.
      if resumes { tally.refuse(error) }
      throw error
    }
  }

  private func make(
    _ name: RecordingName, of owner: RecordingOwner?, resumes: Bool, ended: @escaping @Sendable (FileOutlet.Summary) -> Void
  ) throws(RecordingFailure) -> FileOutlet {
    try state.withLock { (state) throws(RecordingFailure) in
      guard !state.isStopping else { throw .directory("the server is stopping") }
      let pool = usedPool(&state)
      state.lastOutlet += 1
      let number = state.lastOutlet
      let outlet = try FileOutlet(
        name, resumes: resumes, settings: settings, pool: pool, tally: tally,
        create: { [catalogue] (name) throws(RecordingFailure) in try CataloguedFile(name, in: catalogue, owner: owner) },
        ended: { [weak self] summary in
          self?.state.withLock { $0.outlets[number] = nil }
          ended(summary)
        })
      state.outlets[number] = outlet
      return outlet
    }
  }

  /// Registers the file of a track, which `make` creates.
  func hold(
    _ make: (_ number: Int, NIOThreadPool, RecordingTally) throws(RecordingFailure) -> TrackOutlet
  ) throws(RecordingFailure) -> TrackOutlet {
    do throws(RecordingFailure) {
      return try state.withLock { (state) throws(RecordingFailure) in
        guard !state.isStopping else { throw .directory("the server is stopping") }
        guard state.tracks.count < Self.mostTracks else { throw .directory("\(Self.mostTracks) tracks are being recorded") }
        let pool = usedPool(&state)
        state.lastOutlet += 1
        let outlet = try make(state.lastOutlet, pool, tally)
        state.tracks[state.lastOutlet] = outlet
        return outlet
      }
    } catch {
      tally.refuse(error)
      throw error
    }
  }

  /// Forgets the file of a track, which is complete.
  func release(_ number: Int) { state.withLock { $0.tracks[number] = nil } }

  /// Ends all recordings and waits up to 10 s until their files are complete.
  public func stop() async {
    let (pool, outlets, tracks, cleaning) = state.withLock { state in
      state.isStopping = true
      defer { (state.pool, state.cleaning) = (nil, nil) }
      return (state.pool, Array(state.outlets.values), Array(state.tracks.values), state.cleaning)
    }
    cleaning?.cancel()
    for outlet in outlets { outlet.close() }
    for track in tracks { track.close() }
    let deadline = ContinuousClock.now + .seconds(10)
    while tally.counters.live > 0, ContinuousClock.now < deadline { try? await Task.sleep(for: .milliseconds(10)) }
    try? await pool?.shutdownGracefully()
  }
}
