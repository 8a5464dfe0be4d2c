import RoomRTP
import RoomProtocol

/// The user shown to viewers who did not name one: the active speaker, or else the first publisher.
///
/// A change waits until another user has been the loudest for one second and the last change is two seconds old, so that a
/// cough changes nothing. A user who no longer publishes is replaced at once.
struct SpeakerStage: Sendable {
  /// Microseconds that a user must be the loudest.
  static let patience: Int64 = 1_000_000
  /// Minimum time that a user is shown, in microseconds.
  static let hold: Int64 = 2_000_000

  private(set) var user: UserID?
  private var loudest: UserID?
  private var loudestSince = Instant(microseconds: 0)
  private var changed = Instant(microseconds: 0)

  /// When `advance` is due again; nil while no change is due.
  var deadline: Instant? {
    guard let loudest, let user, loudest != user else { return nil }
    return max(loudestSince.advanced(microseconds: Self.patience), changed.advanced(microseconds: Self.hold))
  }

  /// Sets the speakers, loudest first.
  mutating func setSpeakers(_ speakers: [UserID], now: Instant) {
    guard speakers.first != loudest else { return }
    loudest = speakers.first
    loudestSince = now
  }

  /// Chooses the user to show among the publishers.
  /// - Parameter first: returns the publisher to show when nobody speaks; called only if another one is to be shown.
  /// - Returns: whether the user shown changed.
  mutating func advance(publishers: Set<UserID>, first: () -> UserID?, now: Instant) -> Bool {
    if let loudest, !publishers.contains(loudest) { self.loudest = nil }
    if let user, publishers.contains(user) {
      guard let deadline, deadline <= now else { return false }
      self.user = loudest
    } else {
      let next = loudest ?? first()
      guard next != user else { return false }
      user = next
    }
    changed = now
    return true
  }
}
