import RTP
import RoomProtocol

/// The user shown to viewers who named none: the active speaker, or else the first publisher.
///
/// A change waits until somebody else has been the loudest for a second and the last change is two seconds old, so that a cough
/// changes nothing. A user who publishes nothing any more is replaced at once.
struct SpeakerStage: Sendable {
  /// Microseconds that somebody has to be the loudest.
  static let patience: Int64 = 1_000_000
  /// Microseconds that a user is shown at least.
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

  /// Takes the speakers, loudest first.
  mutating func setSpeakers(_ speakers: [UserID], now: Instant) {
    guard speakers.first != loudest else { return }
    loudest = speakers.first
    loudestSince = now
  }

  /// Takes who publishes.
  /// - Parameter first: the publisher to show when nobody speaks; called only if another one is to be shown.
  /// - Returns: whether another user is shown now.
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
