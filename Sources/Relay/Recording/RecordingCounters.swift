import Synchronization

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
  /// The listed files, and their bytes.
  public var stored = 0
  public var storedBytes: Int64 = 0
  /// Files that are not listed because there are too many.
  public var unlisted = 0
  /// Deleted files.
  public var deleted: [RecordingDeletion: Int] = [:]

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

  func deleted(_ deleted: [RecordingDeletion: Int]) { state.withLock { $0.deleted.merge(deleted, uniquingKeysWith: +) } }

  func wrote(_ bytes: Int64) { state.withLock { $0.bytes += bytes } }

  func end(_ summary: FileOutlet.Summary) {
    state.withLock {
      $0.live -= 1
      $0.droppedPictures += summary.droppedPictures
      if let failure = summary.failure { $0.failures[failure.name, default: 0] += 1 }
    }
  }
}
