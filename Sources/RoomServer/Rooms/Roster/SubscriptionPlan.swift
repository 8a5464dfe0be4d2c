import RoomProtocol

/// Which tracks of the others a participant receives: what it asked for, over the default of its join.
///
/// A choice of a track precedes one of its user, and that precedes the join's `autoSubscribe`. A track whose subscription failed is
/// left out until it is asked for again.
struct SubscriptionPlan: Sendable, Hashable {
  /// Whether tracks without a choice are wanted.
  var automatic: Bool
  private var tracks: [TrackID: Bool] = [:]
  private var users: [UserID: Bool] = [:]
  private var failed: Set<TrackID> = []

  init(automatic: Bool) { self.automatic = automatic }

  var hasChoices: Bool { !tracks.isEmpty || !users.isEmpty || !failed.isEmpty }

  /// - Parameter automatic: the default for tracks without a choice; the plan's own if nil.
  func wants(track: TrackID, of user: UserID, automatic: Bool? = nil) -> Bool {
    !failed.contains(track) && (tracks[track] ?? users[user] ?? automatic ?? self.automatic)
  }

  mutating func set(_ wanted: Bool, track: TrackID) {
    tracks[track] = wanted
    failed.remove(track)
  }

  /// Applies to the user's tracks of now, which are `existing`, and of later.
  mutating func set(_ wanted: Bool, user: UserID, existing: [TrackID]) {
    users[user] = wanted
    for track in existing {
      tracks[track] = nil
      failed.remove(track)
    }
  }

  mutating func fail(track: TrackID) { failed.insert(track) }

  /// Everything is tried again: the client has a new connection.
  mutating func retry() { failed = [] }

  mutating func forget(track: TrackID) {
    tracks[track] = nil
    failed.remove(track)
  }

  mutating func forget(user: UserID) { users[user] = nil }
}
