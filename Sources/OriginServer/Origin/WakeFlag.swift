import Synchronization

/// Whether a wakeup is pending.
final class WakeFlag: Sendable {
  private let isRaised = Atomic(false)

  /// Sets the flag. Returns false if it was already set.
  func raise() -> Bool { !isRaised.exchange(true, ordering: .acquiringAndReleasing) }

  func lower() { isRaised.store(false, ordering: .releasing) }
}
