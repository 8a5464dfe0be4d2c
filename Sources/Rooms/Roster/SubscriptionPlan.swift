import RoomProtocol
import RoomSFU

/// The tracks of others that a participant receives: its explicit choices, over the default of its join.
///
/// A choice for a track precedes one for its user, and that precedes the join's `autoSubscribe`. A track whose subscription
/// failed is excluded until it is requested again. The plan also has the quality in which each track is received.
struct SubscriptionPlan: Sendable, Hashable {
  /// Whether any track is received at all.
  var isReceiving = true
  /// Whether tracks without a choice are wanted.
  var automatic: Bool
  /// Whether such a track must be confirmed first.
  var confirms: Bool
  /// Whether tracks without a choice of quality are received as their smallest layer.
  var prefersSmall: Bool
  private var confirmed: Set<TrackID> = []
  private var tracks: [TrackID: Bool] = [:]
  private var users: [UserID: Bool] = [:]
  private var failed: Set<TrackID> = []
  private var receptions: [TrackID: TrackReception] = [:]

  init(automatic: Bool, confirms: Bool = false, prefersSmall: Bool = false) {
    self.automatic = automatic
    self.confirms = confirms
    self.prefersSmall = prefersSmall
  }

  var hasChoices: Bool {
    !tracks.isEmpty || !users.isEmpty || !failed.isEmpty || !confirmed.isEmpty || !receptions.isEmpty
  }

  /// - Parameter priority: that of a track without a choice.
  func reception(of track: TrackID, priority: Int) -> Reception {
    var reception = receptions[track].map(Reception.init) ?? (prefersSmall ? .smallest : Reception())
    reception.priority = receptions[track]?.priority ?? priority
    return reception
  }

  mutating func set(_ reception: TrackReception) { receptions[reception.trackId] = reception }

  /// - Parameter automatic: the default for tracks without a choice; the plan's own if nil.
  func wants(track: TrackID, of user: UserID, automatic: Bool? = nil) -> Bool {
    guard isReceiving, !failed.contains(track) else { return false }
    if let asked = tracks[track] ?? users[user] { return asked }
    return (automatic ?? self.automatic) && (!confirms || confirmed.contains(track))
  }

  mutating func confirm(track: TrackID) { confirmed.insert(track) }

  mutating func set(_ wanted: Bool, track: TrackID) {
    tracks[track] = wanted
    failed.remove(track)
  }

  /// Applies to the user's current tracks, which are `existing`, and to later ones.
  mutating func set(_ wanted: Bool, user: UserID, existing: [TrackID]) {
    users[user] = wanted
    for track in existing {
      tracks[track] = nil
      failed.remove(track)
    }
  }

  mutating func fail(track: TrackID) { failed.insert(track) }

  /// Retries all failed tracks: the client has a new connection.
  mutating func retry() { failed = [] }

  mutating func forget(track: TrackID) {
    tracks[track] = nil
    confirmed.remove(track)
    failed.remove(track)
    receptions[track] = nil
  }

  mutating func forget(user: UserID) { users[user] = nil }
}

extension Reception {
  init(_ choice: TrackReception) {
    self.init(
      maxWidth: choice.maxWidth, maxHeight: choice.maxHeight, maxFps: choice.maxFps, isPaused: choice.paused ?? false)
  }
}
