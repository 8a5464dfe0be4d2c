import RTP

/// When the store is written next.
///
/// A change that an answer waits for is written at once, together with all that came during the last transaction. What nobody waits
/// for is gathered, so that a busy room costs little.
struct StorePace: Sendable {
  /// Between two writes that nobody waits for, at least; microseconds.
  private static let pause: Int64 = 40_000
  /// The pause is at least so many times what the last write took.
  private static let idleShare: Int64 = 4
  /// After a write that failed.
  private static let pauseAfterFailure: Int64 = 1_000_000
  /// Likewise, where an answer waits.
  private static let awaitedPauseAfterFailure: Int64 = 100_000
  /// Where an answer waits, the pause is such a part of what the last write took: very large rooms leave some time to others.
  private static let awaitedPart: Int64 = 4
  private static let longestAwaitedPause: Int64 = 10_000

  private var ended: Instant?
  private var took: Int64 = 0
  private var hasFailed = false

  mutating func wrote(from begin: Instant, to end: Instant) {
    (ended, took, hasFailed) = (end, max(0, end - begin), false)
  }

  mutating func failed(at time: Instant) { (ended, hasFailed) = (time, true) }

  /// The earliest time of the next write; nil if it may begin at once.
  /// - Parameter isAwaited: an answer waits for it.
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
