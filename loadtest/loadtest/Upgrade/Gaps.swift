import RoomProtocol

/// The longest times without sound, or without pictures, of each user that a listener receives. A value in virtual time.
struct Gaps: Sendable {
  private var last: [UserID: ContinuousClock.Instant] = [:]
  private var longest: [UserID: Duration] = [:]

  /// Something of a user has arrived.
  mutating func received(from user: UserID, at now: ContinuousClock.Instant) {
    if let last = last[user] { longest[user] = max(longest[user] ?? .zero, now - last) }
    last[user] = now
  }

  /// Forgets the gaps so far.
  mutating func reset(at now: ContinuousClock.Instant) {
    longest = [:]
    for user in last.keys { last[user] = now }
  }

  /// The users of whom something has arrived.
  var users: Set<UserID> { Set(last.keys) }

  /// Returns the longest gap of any user. One that is still open counts with its length so far.
  func longest(at now: ContinuousClock.Instant) -> Duration {
    last.reduce(longest.values.max() ?? .zero) { max($0, now - $1.value) }
  }
}
