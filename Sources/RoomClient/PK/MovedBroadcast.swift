import RoomProtocol

/// How one broadcast of an anchor goes on while it is in the other room, and after that: three jobs on one URL, with growing numbers.
struct MovedBroadcast: Sendable, Hashable {
  /// As it runs before.
  let home: ForwardParams
  /// As it runs in the other room.
  let away: MergeParams
  /// As it runs again after the return.
  let back: ForwardParams

  /// - Parameter merge: the job in the other room, but for its URL.
  /// - Throws: `cannotMove` for a job whose URL is the room's own, and for a number that nothing can be larger than.
  init(_ home: ForwardParams, as merge: MergeParams) throws(RoomClientError) {
    guard let text = home.publishUrl else {
      throw .cannotMove("the URL of job \"\(home.jobId)\" belongs to the room; only a URL of its own goes along")
    }
    guard let url = SerialURL(text), url.number < .max - 2 else {
      throw .cannotMove("the serialnum of job \"\(home.jobId)\" can't grow")
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

  /// As it runs again, where the room has given its tracks other ids.
  func back(renaming ids: [TrackID: TrackID]) -> ForwardParams {
    var job = back
    job.audioTrackId = job.audioTrackId.map { ids[$0] ?? $0 }
    job.videoTrackId = job.videoTrackId.map { ids[$0] ?? $0 }
    return job
  }

  /// The layouts in the other room, with one user heard or not.
  func layouts(muting user: UserID, _ muted: Bool) -> [TrackLayout] {
    away.layouts.map { layout in
      guard muted, layout.userId == user else { return layout }
      var layout = layout
      layout.gain = 0
      return layout
    }
  }
}
