import RoomRelay

/// A mix of a room that runs: the room's own, or the mix of another room that shows and plays the same.
struct RunningMix {
  /// The mix that the room's jobs send.
  private(set) var live: LiveMix
  /// What the room's own mix shows; kept for its successor.
  var plan: MixPlan
  var tracks: [MixTrackID] = []
  var isWaiting = true
  /// Set while the mix is offered to other rooms.
  var member: SharedMixes.Member?
  /// Whether ``live`` belongs to another room, which alone changes it.
  private(set) var isBorrowed = false

  init(_ live: LiveMix, plan: MixPlan) {
    self.live = live
    self.plan = plan
  }

  /// Sends the mix of another room.
  mutating func borrow(_ other: LiveMix) { (live, isBorrowed) = (other, true) }

  /// Sends a mix of the room's own.
  mutating func own(_ mix: LiveMix) { (live, isBorrowed) = (mix, false) }
}
