import RoomRTP

/// Schedules the writes to the store.
///
/// A change that an answer waits for is written at once, together with all changes that arrived during the last transaction.
/// Other changes are batched, so that a busy room costs little.
struct StoreSchedule: Sendable {
  /// Minimum pause between two writes that no answer waits for; microseconds.
  private static let pause: Int64 = 40_000
  /// Minimum ratio of that pause to the duration of the last write.
  private static let idleShare: Int64 = 4
  /// Pause after a write that failed; microseconds.
  private static let pauseAfterFailure: Int64 = 1_000_000
  /// Pause after a write that failed if an answer waits; microseconds.
  private static let awaitedPauseAfterFailure: Int64 = 100_000
  /// If an answer waits, the pause is the duration of the last write divided by this, so that very large rooms leave some time
  /// to others.
  private static let awaitedPart: Int64 = 4
  private static let longestAwaitedPause: Int64 = 10_000

  private var ended: Instant?
  private var took: Int64 = 0
  private var hasFailed = false

  mutating func wrote(from begin: Instant, to end: Instant) {
    (ended, took, hasFailed) = (end, max(0, end - begin), false)
  }

  mutating func failed(at time: Instant) { (ended, hasFailed) = (time, true) }

  /// Returns the earliest time of the next write; nil if it may start at once.
  /// - Parameter isAwaited: whether an answer waits for it.
  func next(isAwaited: Bool) -> Instant? {
    guard let ended else { return nil }
    let wait =
      switch (hasFailed, isAwaited) {
      case (true, true): Self.awaitedPauseAfterFailure
      case (true, false): Self.pauseAfterFailure
      case (false, true): min(took / Self.awaitedPart, Self.longestAwaitedPause)
      case (false, false): max(Self.pause, took * Self.idleShare)
      }
    return ended.advanced(microseconds: wait)
  }
}
