import RoomProtocol

/// An anchor's stay in the other room of a PK: what it left behind, and what it returns to.
struct PKVisit: Sendable {
  /// How its own room is joined again.
  let home: RoomEntry
  /// The seat it had there.
  let seat: Int?
  /// The other anchor, whose room this is.
  let peer: UserID
  /// What it published, with the ids that its own room had given.
  let published: [(track: any LocalTrack, trackId: TrackID)]
  let broadcasts: [MovedBroadcast]
  /// Seconds that jobs have to take over.
  let patience: Double

  /// Which id a track has now by which it had.
  /// - Parameter now: what is published at home.
  func ids(_ now: [(track: any LocalTrack, trackId: TrackID)]) -> [TrackID: TrackID] {
    var ids: [TrackID: TrackID] = [:]
    for (track, trackId) in now {
      for before in published where before.track === track { ids[before.trackId] = trackId }
    }
    return ids
  }
}
