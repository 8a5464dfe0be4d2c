import RoomProtocol

/// The options of a move into the other room of a PK.
public struct PKMove: Sendable {
  /// The split screen that the anchor's broadcasts show during the PK. By default the own side is on the left of a 720x1280
  /// canvas.
  public var picture: PKPicture
  /// Returns the merge job that replaces a forward job, for an app that does not use ``picture``; nil uses ``picture``.
  ///
  /// The move sets the job's `publishUrl`. `PKInfo` is as seen from the own room: `host` is this anchor, `userId` the other
  /// one.
  public var merge: (@Sendable (_ job: ForwardParams, _ pk: PKInfo) -> MergeParams)?
  /// The options for joining the other room; nil for those of the own room.
  public var options: RoomOptions?
  /// The time that the new jobs have to take over. After it the move continues anyway.
  public var takeoverTimeout: Duration

  /// Creates the options of a move.
  public init(
    picture: PKPicture = PKPicture(), merge: (@Sendable (_ job: ForwardParams, _ pk: PKInfo) -> MergeParams)? = nil,
    options: RoomOptions? = nil, takeoverTimeout: Duration = .seconds(10)
  ) {
    self.picture = picture
    self.merge = merge
    self.options = options
    self.takeoverTimeout = takeoverTimeout
  }

  /// Returns the three jobs for a forward job of the own room.
  func broadcast(_ job: ForwardParams, in pk: PKInfo, id: JobID) throws(RoomClientError) -> MovedBroadcast {
    if let merge { return try MovedBroadcast(job, as: merge(job, pk)) }
    var params = picture.merge(id, own: pk.host, peer: pk.userId, includesPeerAudio: !pk.peerMuted)
    if let kinds = job.kinds, !kinds.contains(.video) {
      // An audio-only job stays audio-only.
      (params.width, params.height, params.fps, params.videoKbps, params.preset) = (nil, nil, nil, nil, nil)
      params.background = nil
      params.layouts = params.layouts.map { TrackLayout(userId: $0.userId, gain: $0.gain) }
    }
    return try MovedBroadcast(job, as: params)
  }
}
