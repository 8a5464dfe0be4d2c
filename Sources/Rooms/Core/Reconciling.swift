import RoomProtocol
import SFU

/// What an input changed. ``RoomCore/reconcile()`` brings everything that depends on it up to date.
struct Changes: Sendable {
  /// Tracks that began, ended or became other media, with their publishers.
  var tracks: [TrackID: UserID] = [:]
  /// The publishers of these.
  var owners: Set<UserID> = []
  /// Publishers of whom a track was muted or unmuted.
  var muted: Set<UserID> = []
  /// Participants to whom any track may be new or wanted no longer.
  var subscribers: Set<UserID> = []
  /// Every participant is one of these: the room's own mix began, ended or shows others.
  var allSubscribers = false
  /// Participants whose offer was answered.
  var offers: Set<UserID> = []
  /// Viewers that are new.
  var viewers: Set<SessionResourceID> = []
  /// The active speakers changed, or a change of the user shown is due.
  var speakers = false
  /// Who is here, who sits where, or the PK changed: the room's own mix may be another.
  var stage = false
  /// The room's policy or the state of its own jobs changed.
  var ownJobs = false
  /// What mixes show changed.
  var mixes = false
  var lending = false

  var isEmpty: Bool {
    tracks.isEmpty && owners.isEmpty && muted.isEmpty && subscribers.isEmpty && !allSubscribers && offers.isEmpty
      && viewers.isEmpty && !speakers && !stage && !ownJobs && !mixes && !lending
  }
}

extension RoomCore {
  /// Brings all that follows from the room's state up to it: the room's own mix and jobs, what jobs and mixes send, what
  /// participants, viewers and other rooms receive. Each step sees the changes that the steps before it made.
  mutating func reconcile() {
    guard !isClosed else { return changes = Changes() }
    // A step may change what an earlier one depends on. Each round settles more; the bound only guards against a defect.
    for _ in 0..<8 where !changes.isEmpty {
      let changed = changes
      changes = Changes()
      if changed.stage { reconcileStage() }
      if changed.ownJobs || !changed.owners.isEmpty { beginOwnJobs() }
      if !changed.owners.isEmpty { reconcileForwards(changed.owners) }
      if changed.mixes || !changed.owners.isEmpty { reconcileMixes(changed.owners) }
      reconcileOwnMixes(changed)
      reconcileSubscriptions(changed)
      reconcileViewers(changed)
      if changed.lending || !changed.owners.isEmpty || !changed.muted.isEmpty { reconcileLending() }
    }
    if isEmpty {
      if !timers.isSet(.empty) { timers.set(.empty, at: time(in: settings.emptyTime)) }
    } else {
      timers.cancel(.empty)
    }
  }
}
