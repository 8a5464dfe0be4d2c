import RoomProtocol

/// The longest time without sound, or without pictures, of the users that a listener receives. A value in virtual time.
struct Gaps: Sendable {
  struct Gap: Sendable, Equatable {
    var user: UserID
    var begin: ContinuousClock.Instant
    var length: Duration
  }

  private var last: [UserID: ContinuousClock.Instant] = [:]
  private var longest: Gap?

  /// Something of a user has arrived.
  mutating func received(from user: UserID, at now: ContinuousClock.Instant) {
    if let last = last[user] { longest = Self.longer(longest, Gap(user: user, begin: last, length: now - last)) }
    last[user] = now
  }

  /// Forgets the gaps so far.
  mutating func reset(at now: ContinuousClock.Instant) {
    longest = nil
    for user in last.keys { last[user] = now }
  }

  /// The users whose media has arrived.
  var users: Set<UserID> { Set(last.keys) }

  /// When something of a user last arrived.
  func last(of user: UserID) -> ContinuousClock.Instant? { last[user] }

  /// Returns the longest gap of any user; nil before anything has arrived. One that is still open counts with its length so far.
  func longest(at now: ContinuousClock.Instant) -> Gap? {
    last.reduce(longest) { Self.longer($0, Gap(user: $1.key, begin: $1.value, length: now - $1.value)) }
  }

  private static func longer(_ one: Gap?, _ other: Gap) -> Gap { one.map { $0.length >= other.length ? $0 : other } ?? other }
}
