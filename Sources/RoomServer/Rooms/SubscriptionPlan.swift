import RoomProtocol

/// Which tracks of the others a participant is to get: what it asked for, over what its join said.
///
/// A word on a track counts more than one on its user, and that more than the join's `autoSubscribe`. A track that could not be
/// had is left out until it is asked for again.
struct SubscriptionPlan: Sendable, Hashable {
  /// Whether tracks that nothing was said about are wanted.
  var automatic: Bool
  private var tracks: [TrackID: Bool] = [:]
  private var users: [UserID: Bool] = [:]
  private var failed: Set<TrackID> = []

  init(automatic: Bool) { self.automatic = automatic }

  /// - Parameter automatic: what holds where nothing was said; the plan's own if nil.
  func wants(track: TrackID, of user: UserID, automatic: Bool? = nil) -> Bool {
    !failed.contains(track) && (tracks[track] ?? users[user] ?? automatic ?? self.automatic)
  }

  mutating func set(_ wanted: Bool, track: TrackID) {
    tracks[track] = wanted
    failed.remove(track)
  }

  /// Counts for the user's tracks of today and of later; `existing` are those of today.
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
