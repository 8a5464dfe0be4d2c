import RoomProtocol

/// How an anchor moves into the other room of a PK.
public struct PKMove: Sendable {
  /// The split screen that the anchor's broadcasts show meanwhile; its own side is on the left by default, on 720x1280.
  public var picture: PKPicture
  /// The merge job in place of a forward job, where it is not to be ``picture``; its `publishUrl` is set by the move. `PKInfo` is as the
  /// own room has it: `host` is this anchor, `userId` the other one.
  public var merge: (@Sendable (_ job: ForwardParams, _ pk: PKInfo) -> MergeParams)?
  /// How the other room is joined; as the own room if nil.
  public var options: RoomOptions?
  /// Seconds that the new jobs have to take over from the old ones, before the old room is left all the same.
  public var patience: Double

  public init(
    picture: PKPicture = PKPicture(), merge: (@Sendable (_ job: ForwardParams, _ pk: PKInfo) -> MergeParams)? = nil,
    options: RoomOptions? = nil, patience: Double = 10
  ) {
    self.picture = picture
    self.merge = merge
    self.options = options
    self.patience = patience
  }

  /// The job in place of `job`.
  func broadcast(_ job: ForwardParams, in pk: PKInfo, id: JobID) throws(RoomClientError) -> MovedBroadcast {
    if let merge { return try MovedBroadcast(job, as: merge(job, pk)) }
    var params = picture.merge(id, own: pk.host, peer: pk.userId, hearsPeer: !pk.peerMuted)
    if let kinds = job.kinds, !kinds.contains(.video) {
      // Sound alone stays sound alone.
      (params.width, params.height, params.fps, params.videoKbps, params.preset) = (nil, nil, nil, nil, nil)
      params.background = nil
      params.layouts = params.layouts.map { TrackLayout(userId: $0.userId, gain: $0.gain) }
    }
    return try MovedBroadcast(job, as: params)
  }
}
