import RoomProtocol

/// One broadcast of an anchor before, during and after a move to the other room: three jobs on one URL with increasing numbers.
struct MovedBroadcast: Sendable, Hashable {
  /// The job before the move.
  let home: ForwardParams
  /// The job in the other room.
  let away: MergeParams
  /// The job after the return.
  let back: ForwardParams

  /// - Parameter merge: the job in the other room; its URL is replaced.
  /// - Throws: `cannotMove` if the URL belongs to the room, or if its number cannot grow.
  init(_ home: ForwardParams, as merge: MergeParams) throws(RoomClientError) {
    guard let text = home.publishUrl else {
      throw .cannotMove("the URL of job \"\(home.jobId)\" belongs to the room; only a job with its own URL can move")
    }
    guard let url = SerialURL(text), url.number < .max - 2 else {
      throw .cannotMove("the serialnum of job \"\(home.jobId)\" can't increase")
    }
    self.home = home
    var away = merge
    away.publishUrl = url.with(url.number + 1)
    away.record = nil
    self.away = away
    var back = home
    back.publishUrl = url.with(url.number + 2)
    self.back = back
  }

  /// Returns the job after the return with the track ids that the room assigned since.
  func back(renaming ids: [TrackID: TrackID]) -> ForwardParams {
    var job = back
    job.audioTrackId = job.audioTrackId.map { ids[$0] ?? $0 }
    job.videoTrackId = job.videoTrackId.map { ids[$0] ?? $0 }
    return job
  }

  /// Returns the layouts in the other room, with one user muted or not.
  func layouts(muting user: UserID, _ muted: Bool) -> [TrackLayout] {
    away.layouts.map { layout in
      guard muted, layout.userId == user else { return layout }
      var layout = layout
      layout.gain = 0
      return layout
    }
  }
}
