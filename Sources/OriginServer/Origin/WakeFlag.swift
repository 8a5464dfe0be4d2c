import Synchronization

/// Whether somebody has been woken and has not come yet.
final class WakeFlag: Sendable {
  private let isRaised = Atomic(false)

  /// False where it was raised already.
  func raise() -> Bool { !isRaised.exchange(true, ordering: .acquiringAndReleasing) }

  func lower() { isRaised.store(false, ordering: .releasing) }
}
