import RoomProtocol
import RoomSFU

/// The changes that an input made. ``RoomCore/reconcile()`` updates everything that depends on them.
struct Changes: Sendable {
  /// Tracks that started, ended or changed their media, with their publishers.
  var tracks: [TrackID: UserID] = [:]
  /// The publishers of these tracks.
  var owners: Set<UserID> = []
  /// Publishers with a track that was muted or unmuted.
  var muted: Set<UserID> = []
  /// Participants for which any track may have become wanted or unwanted.
  var subscribers: Set<UserID> = []
  /// Whether all participants are: the room's own mix started, ended or shows other users.
  var allSubscribers = false
  /// Participants whose offer was answered.
  var offers: Set<UserID> = []
  /// New viewers.
  var viewers: Set<SessionResourceID> = []
  /// The active speakers changed, or a change of the user shown is due.
  var speakers = false
  /// The participants, the seats, the PK or the jobs changed, which may change what the stage shows and who sends it.
  var stage = false
  /// The room's policy or the state of its own jobs changed.
  var ownJobs = false
  /// The content of mixes changed.
  var mixes = false
  var lending = false

  var isEmpty: Bool {
    tracks.isEmpty && owners.isEmpty && muted.isEmpty && subscribers.isEmpty && !allSubscribers && offers.isEmpty
      && viewers.isEmpty && !speakers && !stage && !ownJobs && !mixes && !lending
  }
}

extension RoomCore {
  /// Updates everything derived from the room's state: the room's own mix and jobs, the inputs of jobs and mixes, and what
  /// participants, viewers and other rooms receive. Each step sees the changes of the steps before it.
  mutating func reconcile() {
    guard !isClosed else { return changes = Changes() }
    // A step may change the input of an earlier one. The rounds converge; the bound only guards against a defect.
    for _ in 0..<8 where !changes.isEmpty {
      let changed = changes
      changes = Changes()
      if changed.ownJobs || !changed.owners.isEmpty { beginOwnJobs() }
      if changed.stage || !changed.owners.isEmpty || !changed.muted.isEmpty { reconcileProgram() }
      if !changed.owners.isEmpty { reconcileForwards(changed.owners) }
      if changed.mixes || !changed.owners.isEmpty { reconcileMixes(changed.owners) }
      reconcileOwnMixes(changed)
      reconcileSubscriptions(changed)
      reconcileViewers(changed)
      if !renditions.isEmpty || !backups.isEmpty { reconcileRenditions() }
      if changed.stage || changed.speakers || !changed.owners.isEmpty || !changed.muted.isEmpty { reconcileArrangements() }
      if changed.lending || !changed.owners.isEmpty || !changed.muted.isEmpty { reconcileLending() }
    }
    if isEmpty {
      if !timers.isSet(.empty) { timers.set(.empty, at: time(in: settings.emptyTime)) }
    } else {
      timers.cancel(.empty)
    }
  }
}
