import RoomProtocol

/// An anchor's stay in the other room of a PK: the state that it needs to return.
struct PKStay: Sendable {
  /// The address, token and options for rejoining the own room.
  let home: JoinRequest
  /// The seat in the own room.
  let seat: Int?
  /// The anchor of the other room.
  let peer: UserID
  /// The published tracks, with the ids that the own room assigned.
  let published: [(track: any LocalTrack, trackId: TrackID)]
  let broadcasts: [MovedBroadcast]
  /// The time that jobs have to take over.
  let takeoverTimeout: Duration

  /// Returns the current id of each track by its previous id.
  /// - Parameter now: the tracks now published in the own room.
  func ids(_ now: [(track: any LocalTrack, trackId: TrackID)]) -> [TrackID: TrackID] {
    var ids: [TrackID: TrackID] = [:]
    for (track, trackId) in now {
      for before in published where before.track === track { ids[before.trackId] = trackId }
    }
    return ids
  }
}
