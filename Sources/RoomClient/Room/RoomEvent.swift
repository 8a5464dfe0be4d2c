import RoomProtocol

/// What happens in a room, in the order in which it happened.
public enum RoomEvent: Sendable {
  case stateChanged(RoomState)
  case joined(ParticipantInfo)
  case left(userId: String, reason: EndReason)
  /// Another participant's connection was lost (false), or came back within the grace time.
  case connectionChanged(userId: String, connected: Bool)
  case published(userId: String, tracks: [TrackInfo])
  case unpublished(userId: String, trackIds: [String])
  /// A track is being received; its frames are at `RemoteTrack.frames`.
  case trackSubscribed(RemoteTrack)
  /// The track ended, was unsubscribed from, or its publisher left.
  case trackUnsubscribed(RemoteTrack)
  /// Tracks that were asked for and can't be had.
  case subscribeFailed(trackIds: [String], error: RoomError)
  /// The first whole frame of a track arrived.
  case firstFrame(RemoteTrack)
  /// `by` is the user that did it, and empty for the API.
  case muteChanged(userId: String, trackId: String, muted: Bool, by: String)
  case audioLevels([AudioLevel])
  /// Loudest first.
  case activeSpeakers([String])
  /// A relay job of the room began, or its state changed.
  case jobChanged(JobInfo)
  /// How a relay job goes; with the `relay` or the `admin` grant.
  case jobStatus(JobStatusData)
  /// A relay job of the room is over.
  case jobEnded(jobId: String, reason: JobEndReason, failure: JobFailure?)
  /// Another participant was kicked.
  case kicked(userId: String, by: String)
  /// This client was kicked; `by` is the operator, and empty for the API. `stateChanged(.closed(…))` follows.
  case kickedOut(by: String)
  case statistics(RoomStatistics)
  /// Media of one direction came up, was lost (it is being repaired), or came back.
  case mediaConnectionChanged(TransportKind, connected: Bool)
}

/// The two transports of a participant.
public enum TransportKind: String, Sendable, Hashable { case publish, subscribe }
